# Generates the texts in this folder from a small grammar:
#
#     awk -v seed=1 -v lines=240 -f text.awk >text.txt
#     awk -v seed=2 -v lines=60 -v fresh=1 -f text.awk >new.txt
#     awk -v seed=3 -v lines=60 -f text.awk >held.txt
#     awk -v seed=4 -v lines=80 -v json=1 -f text.awk >lines.jsonl
#     awk -v seed=6 -v lines=60 -v json=1 -v fresh=1 -f text.awk >new.jsonl
#
# Every line is about one subject, so that words of a subject are alike. Random numbers come from
# a generator whose products are exact in double precision, so that every awk writes the same.
function random(n) {
    state = (state * 16807) % 2147483647
    return int(state / 2147483647 * n)
}
# A word of a list, the first ones more often.
function pick(list, word, n) {
    n = split(list, word, " ")
    return word[1 + int(random(n) * (0.4 + 0.6 * random(1000) / 1000))]
}
function noun() { return pick(nouns[subject]) }
function verb() { return pick(verbs[subject]) }
function adjective() { return pick("old small quiet bright cold well-known") }
function sentence(form) {
    form = random(6)
    if (form == 0) return "The " adjective() " " noun() " " verb() " the " noun() "."
    if (form == 1) return "A " noun() " and the " noun() " " verb() " near the " noun() "."
    if (form == 2) return "They don't " plain[subject] " a " noun() " in the " pick("morning evening winter summer") "."
    if (form == 3) return "Every " noun() " of the " noun() " " verb() " " pick("slowly again together often") "!"
    if (form == 4) return pick("Anna Bruno Clara") " " verb() " the " adjective() " " noun() " at the café in " 1900 + random(3) "."
    return "Is the " noun() " a " noun() ", or does it " plain[subject] " the " noun() "?"
}
BEGIN {
    count = split("farm sea kitchen school music forest", subjects, " ")
    nouns["farm"] = "farmer horse field barn cow farmland sheep fence farmhouse horseman"
    nouns["sea"] = "sailor ship wave harbour fish sailboat island anchor shipyard seaman"
    nouns["kitchen"] = "cook bread oven soup knife cookbook table butter breadcrumb spoon"
    nouns["school"] = "teacher book pupil lesson desk notebook chalk question bookshelf answer"
    nouns["music"] = "singer song violin drum concert songbook choir drummer melody stage"
    nouns["forest"] = "hunter tree fox path owl treetop river moss foxhole branch"
    verbs["farm"] = "feeds ploughs guards"; plain["farm"] = "feed"
    verbs["sea"] = "sails crosses watches"; plain["sea"] = "sail"
    verbs["kitchen"] = "cooks slices warms"; plain["kitchen"] = "cook"
    verbs["school"] = "reads teaches asks"; plain["school"] = "read"
    verbs["music"] = "plays sings tunes"; plain["music"] = "play"
    verbs["forest"] = "follows hides climbs"; plain["forest"] = "follow"
    if (fresh) { # words that the first text does not have
        nouns["sea"] = "lighthouse ferry " nouns["sea"]
        nouns["kitchen"] = "kettle pepper " nouns["kitchen"]
    }
    state = 1000 + seed
    for (line = 1; line <= lines; line++) {
        subject = subjects[1 + random(count)]
        text = sentence()
        if (random(3) == 0) text = text " " sentence()
        if (json) print "{\"id\": " line ", \"body\": \"" text "\"}"
        else print text
    }
}
