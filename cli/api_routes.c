/* The routes of the HTTP interface. */
#include "api.h"
#include "commands.h"

#define QUERY " forms restrict min-score min-frequency "
#define NEIGHBOUR "word:string score:number count?:integer"
#define SPELLED " forms_left_out:[string] combined?:[string] did_you_mean?:string spelled:[string]"

const struct api_route api_routes[] = {
    {.name = "models",
     .summary = "List the models that are served.",
     .description = "The first is the default of the parameter model.",
     .write = api_write_models,
     .schema = "version:string models:[{name:string words:integer dim:integer method:string "
               "sparse:boolean has_frequencies:boolean has_spelling:boolean counts:boolean}] "
               "sets:[string] builtin_sets:[string] topics:[{name:string topics:integer "
               "documents:integer words:integer}]"},
    {.name = "info",
     .summary = "Describe a model.",
     .description = "What psdvec info prints: size, settings, provenance, iterations of training.",
     .command = &cmd_info,
     .of_model = true,
     .schema = "file:string words:integer dim:integer *"},
    {.name = "word",
     .summary = "Facts about a word.",
     .description =
         "Its rank by frequency among all words, the words with the nearest ranks, and its spread: "
         "the posterior standard deviation of the components of its vector, which is larger the "
         "less certain the vector is. spread_above is the share of words with a smaller one. Words "
         "of the core, which are solved together, have none.",
     .write = api_write_word,
     .of_model = true,
     .parameters = {{"word", API_WORD, "a word of the model"}},
     .schema = "word:string form?:string rank:integer words:integer count?:integer spread?:number "
               "spread_above?:number around:[{word:string rank:integer count?:integer}]"},
    {.name = "similar",
     .summary = "Nearest neighbours of a word, or of a sum of words.",
     .description =
         "Words that are not in the model are looked up as the model's tokeniser would write them, "
         "and otherwise get a vector from their spelling; the member spelled names them.",
     .command = &cmd_similar,
     .of_model = true,
     .parameters = {{"positive", API_PLUS, "a word that is added; repeat it for several"},
                    {"negative", API_MINUS, "a word that is subtracted; repeat it for several"}},
     .options = " top" QUERY,
     .schema = "words:[string] minus:[string] similar:[{word:string cosine:number "
               "count?:integer spread?:number}]" SPELLED},
    {.name = "analogy",
     .summary = "Complete an analogy: a is to b as c is to what?",
     .description = "The best answers of two methods, 3CosAdd (add) and 3CosMul (mul).",
     .command = &cmd_analogy,
     .of_model = true,
     .parameters = {{"a", API_WORD, "the first word"},
                    {"b", API_WORD, "the word that is to a"},
                    {"c", API_WORD, "the word whose partner is asked for"}},
     .options = " top" QUERY,
     .schema = "a:string b:string c:string add:[{" NEIGHBOUR "}] mul:[{" NEIGHBOUR "}]" SPELLED},
    {.name = "compare",
     .summary = "How similar two words are, and why.",
     .description = "Cosine, product of the vectors, shared contexts that the model expects, and "
                    "the directions that contribute most.",
     .command = &cmd_compare,
     .of_model = true,
     .parameters = {{"a", API_WORD, "a word of the model"},
                    {"b", API_WORD, "another word of the model"}},
     .schema = "a:string b:string cosine:number product:number *"},
    {.name = "explain",
     .summary = "Why two words are alike, with the counts of the text.",
     .description = "The answer of compare with the counts of the pair, its target and residual, "
                    "and only contexts that occur with both words. Needs --counts.",
     .command = &cmd_compare,
     .of_model = true,
     .of_counts = true,
     .parameters = {{"a", API_WORD, "a word of the model"},
                    {"b", API_WORD, "another word of the model"}},
     .schema = "a:string b:string cosine:number product:number *"},
    {.name = "odd-one-out",
     .summary = "The word that does not fit the others.",
     .description = "The word with the lowest mean cosine to the others, of at least three.",
     .command = &cmd_odd_one_out,
     .of_model = true,
     .parameters = {{"word", API_WORDS, "a word; repeat it"}},
     .schema = "odd:string words:[{word:string mean_cosine:number}] combined?:[string] "
               "did_you_mean?:string spelled:[string]"},
    {.name = "vector",
     .summary = "The vectors of words.",
     .description = "Read-out vectors, or with raw the generative ones.",
     .command = &cmd_vector,
     .of_model = true,
     .parameters = {{"word", API_WORDS, "a word; repeat it for several"}},
     .options = " raw ",
     .lines = "vectors",
     .schema = "vectors:[{word:string *}]"},
    {.name = "words",
     .summary = "Words of the model by their first letters.",
     .description = "The most frequent words with this prefix, or with its lower-case form.",
     .write = api_write_words,
     .of_model = true,
     .parameters = {{"prefix", API_PREFIX, "the first letters; none: all words"},
                    {"top", API_NUMBER, "number of words; 10 by default"}},
     .schema = "prefix:string total:integer words:[{word:string count?:integer}]"},
    {.name = "map",
     .summary = "The state of the map of a model.",
     .description = "The map is read (--map) or computed after the start; state is none, waiting, "
                    "making, ready or failed. While it is made, stage, done and total say how far "
                    "that is; if it failed, message says why.",
     .write = api_write_map,
     .of_model = true,
     .changes = true,
     .schema = "state:string words?:integer clusters?:integer labels?:integer stage?:string "
               "done?:integer total?:integer message?:string"},
    {.name = "map-points",
     .summary = "The map of a model: words, places, clusters and labels.",
     .description = "Bytes in the form that docs/reference/http-api.md describes. Status 503 while "
                    "the map is made, 404 if there is none.",
     .send = api_send_map,
     .of_model = true},
    {.name = "tokenize",
     .summary = "Split a text into words as the model's text was.",
     .description = "The text is a parameter, or the body of a POST request.",
     .write = api_write_tokens,
     .of_model = true,
     .parameters = {{"text", API_TEXT, "the text"}},
     .schema = "tokens:[{word:string known:boolean}]"},
    {.name = "score",
     .summary = "The probability of each word of a text.",
     .description = "The text is one document: a parameter, or the body of a POST request. "
                    "Logarithms are natural. With counts, residuals are added.",
     .command = &cmd_score,
     .of_model = true,
     .parameters = {{"text", API_TEXT, "the text"},
                    {"counts", API_COUNTS, "use the counts of the model (--counts)"}},
     .options = " temperature ",
     .fixed = "--per-word",
     .lines = "documents",
     .last = "total",
     .schema = "documents:[{per_word:[{word:string known:boolean log_probability?:number *}] *}] "
               "total:{words:integer known:integer perplexity?:number *}"},
    {.name = "next",
     .summary = "The most probable words after a text.",
     .description = "The text is a parameter, or the body of a POST request; without one, the "
                    "probabilities are those of the unigrams.",
     .command = &cmd_next,
     .of_model = true,
     .parameters = {{"text", API_TEXT, "the text"},
                    {"counts", API_COUNTS, "use the counts of the model (--counts)"}},
     .options = " top temperature ",
     .schema = "context:[string] unknown:[string] temperature:number next:[{word:string "
               "probability:number unigram:number lift?:number}]"},
    {.name = "contexts",
     .summary = "The words that occur before and after a word.",
     .description = "From the counts of the text: strongest association first. Needs --counts.",
     .command = &cmd_counts_show,
     .of_model = true,
     .of_counts = true,
     .counts_operand = true,
     .parameters = {{"word", API_WORD, "a word of the text"}},
     .options = " top by min-count ",
     .schema = "word:string count:integer before:[{word:string count:number lift:number *}] "
               "after:[{word:string count:number lift:number *}]"},
    {.name = "eval",
     .summary = "Score the model on test sets.",
     .description = "On the built-in sets, or on those of --set, with confidence intervals; with "
                    "mistakes, also the questions that the model fails most. This can take "
                    "seconds; one such request is computed at a time.",
     .command = &cmd_eval,
     .model_option = true,
     .of_model = true,
     .is_long = true,
     .parameters = {{"set", API_SET,
                     "the name of a set; repeat it for several; none: "
                     "the built-in sets"}},
     .options = " unknown restrict resamples mistakes ",
     .schema = "version:string options:{*} models:[{*}] mistakes?:[{set:string "
               "section:string|null model:string question:string expected:string|null "
               "answer:string|null expected_rank:number|null answer_rank:number|null "
               "loss:number}] *"},
    {.name = "topics",
     .summary = "List topics.",
     .description = "The largest first, with the words that describe them. Needs --topics.",
     .command = &cmd_topics_show,
     .of_topics = true,
     .options = " words ",
     .schema = "documents_count:integer known_tokens:integer topics:[{topic:integer share:number "
               "class?:string|null words:string}] *"},
    {.name = "topic",
     .summary = "A topic with its words and documents.",
     .description =
         "The words that describe the topic, and the documents with the largest share of "
         "it. Needs --topics.",
     .command = &cmd_topics_show,
     .of_topics = true,
     .parameters = {{"topic", API_TOPIC, "the number of the topic, from 1"}},
     .options = " words documents ",
     .schema = "topic:integer share:number class?:string words:[{word:string probability:number "
               "lift:number}] documents?:[{topic:integer document:integer share:number "
               "source:string beginning:string *}]"},
    {.name = "document",
     .summary = "The topics of a document from which the topics were learnt.",
     .description = "The largest first. Needs --topics.",
     .write = api_write_document,
     .of_topics = true,
     .parameters = {{"document", API_PLACE, "the number of the document, from 1"},
                    {"top", API_NUMBER, "number of topics; 10 by default"}},
     .schema = "document:integer source?:string label?:string date?:string name?:string "
               "beginning?:string topics:[{topic:integer share:number words:string}]"},
    {.name = "mixture",
     .summary = "The topics of a text.",
     .description = "The text is one document: a parameter, or the body of a POST request. shares "
                    "has one number per topic; they sum to 1. Needs --topics.",
     .command = &cmd_topics_apply,
     .of_topics = true,
     .text_operand = true,
     .parameters = {{"text", API_TEXT, "the text"}},
     .schema = "document:integer source:string beginning:string words:integer known:integer "
               "bound:number shares:[number]"},
    {0}};
