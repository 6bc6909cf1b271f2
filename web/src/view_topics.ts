// Topics: a list, one topic with its words and documents, one document with its topics, and the
// topics of a text.

import {ask, Mixture, Topic, TopicDocument, Topics} from "./api";
import type {Page} from "./app";
import {add, announce, bar, count, h, scrolled, tableHead} from "./dom";
import {go, link} from "./state";

const DOCUMENTS = 20;
const WORDS = 30;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;


/** A choice among the topics files, if there are several. */
function choice(page: Page, chosen: string): HTMLElement | null {
  const files = page.models.topics;
  if (files.length < 2) return null;
  return h("div", {class: "field"}, h("label", {for: "topics"}, "Topics file"),
    h("select", {id: "topics", onchange: (event: Event) => go({view: "topics", topics: (event.target as HTMLSelectElement).value})},
      files.map((one) => h("option", {value: one.name, selected: one.name === chosen}, one.name))));
}

function topicLink(topic: number, text: string, topics: string): HTMLElement {
  return h("a", {href: link({view: "topics", topic: String(topic), topics})}, text);
}

function listPanel(page: Page, topics: string, list: Promise<Topics>): void {
  page.panel("Topics", async (body) => {
    const answer = await list;
    const largest = Math.max(...answer.topics.map((one) => one.share), 1e-9);
    const classes = answer.topics.some((one) => one.class);
    add(body, h("p", {}, `${count(answer.topics.length)} topics of ${count(answer.documents_count)} documents, with the share of the text that each explains.`));
    add(body, scrolled("Topics", h("table", {class: "list texts"}, tableHead("topic", null, "share", ...(classes ? ["label"] : []), "words"),
      h("tbody", {}, answer.topics.map((one) => h("tr", {},
        h("th", {scope: "row"}, topicLink(one.topic, `Topic ${one.topic}`, topics)), h("td", {class: "bars"}, bar(one.share / largest)),
        h("td", {}, percent(one.share)), classes && h("td", {}, one.class ?? ""), h("td", {class: "prose"}, one.words)))))));
    announce(`${answer.topics.length} topics`);
  }, {wide: true});
}

/** What the text says about a document, or the file that it was in. */
const nameOf = (one: TopicDocument) => [one.name, one.label, one.date].filter(Boolean).join(", ") || one.source.replace(/^.*\//, "");

function topicPanels(page: Page, topics: string): void {
  const topic = page.state.topic;
  const answer = ask<Topic>("topic", {topic, words: WORDS, documents: DOCUMENTS, topics}, page.signal);
  const grid = h("div", {class: "grid"});
  add(page.main, [h("p", {}, h("a", {href: link({view: "topics", topics})}, "All topics")), grid]);
  page.panel(`Topic ${topic}`, async (body) => {
    const found = await answer;
    const largest = Math.max(...found.words.map((one) => one.probability), 1e-9);
    add(body, h("p", {}, `${percent(found.share)} of the text${found.class ? `, of documents with the label ${found.class}` : ""}. Lift is the frequency in the topic divided by that in all documents.`));
    add(body, scrolled("Words", h("table", {class: "list"}, tableHead("word", null, "probability", "lift"), h("tbody", {}, found.words.map((one) => h("tr", {},
      h("th", {scope: "row"}, h("a", {href: link({view: "words", plus: [one.word]})}, one.word)), h("td", {class: "bars"}, bar(one.probability / largest)),
      h("td", {}, one.probability.toFixed(4)), h("td", {}, one.lift.toFixed(1))))))));
    announce(`Topic ${topic}: ${found.words.slice(0, 5).map((one) => one.word).join(", ")}`);
  }, {to: grid});
  page.panel("Documents with the largest share", async (body) => {
    const found = await answer;
    add(body, scrolled("Documents", h("table", {class: "list texts"}, tableHead("document", null, "share", "beginning"), h("tbody", {}, (found.documents ?? []).map((one) => h("tr", {},
      h("th", {scope: "row"}, h("a", {href: link({view: "topics", document: String(one.document), topics})}, `${one.document}`), " ", h("small", {}, nameOf(one))),
      h("td", {class: "bars"}, bar(one.share)), h("td", {}, percent(one.share)), h("td", {class: "prose"}, one.beginning)))))));
  }, {to: grid});
}

function mixtureTable(shares: {topic: number; share: number; words: string}[], topics: string): HTMLElement {
  return scrolled("Topics", h("table", {class: "list texts"}, tableHead("topic", null, "share", "words"), h("tbody", {}, shares.map((one) => h("tr", {},
    h("th", {scope: "row"}, topicLink(one.topic, `Topic ${one.topic}`, topics)), h("td", {class: "bars"}, bar(one.share)),
    h("td", {}, percent(one.share)), h("td", {class: "prose"}, one.words))))));
}

function documentPanel(page: Page, topics: string): void {
  add(page.main, h("p", {}, h("a", {href: link({view: "topics", topics})}, "All topics")));
  page.panel(`Document ${page.state.document}`, async (body) => {
    const found = await ask<TopicDocument & {topics: {topic: number; share: number; words: string}[]}>("document", {document: page.state.document, topics}, page.signal);
    add(body, [h("p", {}, h("strong", {}, nameOf(found))), h("blockquote", {}, found.beginning, " …"), mixtureTable(found.topics, topics)]);
    announce(`Document ${page.state.document}: topic ${found.topics[0]?.topic}`);
  }, {wide: true});
}

function textPanel(page: Page, topics: string, list: Promise<Topics>): void {
  page.panel("Topics of the text", async (body) => {
    const [mixture, all] = await Promise.all([ask<Mixture>("mixture", {topics}, page.signal, page.state.text), list]);
    const rows = mixture.shares.map((share, k) => ({topic: k + 1, share, words: all.topics.find((one) => one.topic === k + 1)?.words ?? ""}));
    rows.sort((a, b) => b.share - a.share || a.topic - b.topic);
    add(body, h("p", {}, `${count(mixture.known)} of ${count(mixture.words)} words are in the vocabulary of the topics.`));
    add(body, mixture.known ? mixtureTable(rows.slice(0, 10), topics) : h("p", {class: "remark"}, "Without known words, nothing can be said about its topics."));
    announce(`Largest: topic ${rows[0]?.topic}`);
  }, {wide: true});
}

export function topicsView(page: Page): void {
  const {state, models} = page;
  const topics = models.topics.some((one) => one.name === state.topics) ? state.topics : models.topics[0].name;
  const area = h("textarea", {id: "text", rows: "3", "data-first": true}, state.text) as HTMLTextAreaElement;
  const submit = () => { if (area.value.trim()) go({view: "topics", text: area.value.trim(), topics}); else area.focus(); };
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  });
  add(page.main, h("form", {class: "query tall", onsubmit: (event: Event) => { event.preventDefault(); submit(); }}, choice(page, topics),
    h("div", {class: "field"}, h("label", {for: "text"}, "Find the topics of a text (Ctrl+Enter)"), area), h("button", {type: "submit"}, "Find topics")));
  if (state.topic) return topicPanels(page, topics);
  if (state.document) return documentPanel(page, topics);
  const list = ask<Topics>("topics", {topics, words: 12}, page.signal);
  if (state.text) textPanel(page, topics, list);
  listPanel(page, topics, list);
}
