/* Locales other than the C locale, for tests that results do not depend on them. If the system has
 * none of the required type, localedef creates one. */
#ifndef TESTS_LOCALES_H
#define TESTS_LOCALES_H

/* The name of a locale with a decimal comma, or of one in which i is not the lower case of I, as in
 * Turkish; NULL if there is none and none can be created. Created files go into the folder, which
 * the variable LOCPATH names from then on. */
const char *locale_with_comma(const char *folder);
const char *locale_of_turkish(const char *folder);

#endif
