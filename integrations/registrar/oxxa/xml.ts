import { SaxesParser } from "saxes";

/** An element of an answer: what it holds as text, trimmed, and the elements in it. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface Open {
  name: string;
  text: string;
  children: XmlElement[];
}

/** Deeper than any answer of a registrar goes. */
const DEEPEST = 32;
const DECLARED = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;

/** The text of bytes, read as their own prologue says; without one it is UTF-8 (XML 1.0 §4.3.3). @throws RangeError for an unknown encoding */
function textOf(bytes: Buffer): string {
  const [, encoding = "utf-8"] = DECLARED.exec(bytes.subarray(0, 200).toString("latin1")) ?? [];
  return new TextDecoder(encoding).decode(bytes).trimStart();
}

/**
 * Reads XML. Only what is well-formed to its end is read, so that an answer that was cut off is an error; a document type, and with it every
 * entity but those of XML itself, is refused (assets §10.1).
 * @throws Error in one sentence
 */
export function readXml(bytes: Buffer): XmlElement {
  const parser = new SaxesParser();
  const open: Open[] = [{ name: "", text: "", children: [] }];
  const last = () => open.at(-1) as Open;
  const refuse = (why: string) => {
    throw new Error(why);
  };
  parser.on("error", (error) => refuse(`the answer is no XML: ${error.message}`));
  parser.on("doctype", () => refuse("the answer declares a document type"));
  parser.on("text", (text) => {
    last().text += text;
  });
  parser.on("cdata", (text) => {
    last().text += text;
  });
  parser.on("opentag", ({ name }) => {
    if (open.length > DEEPEST) refuse("the answer is nested too deep");
    open.push({ name, text: "", children: [] });
  });
  parser.on("closetag", () => {
    const { text, ...element } = open.pop() as Open;
    last().children.push({ ...element, text: text.trim() });
  });
  parser.write(textOf(bytes)).close();
  const [root] = last().children;
  return root ?? refuse("the answer is empty");
}

/** The first element of that name in another. */
export const child = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((one) => one.name === name);

/** What the first element of that name holds; null where it is missing or empty: not reported. */
export const textIn = (element: XmlElement | undefined, name: string): string | null => child(element, name)?.text || null;
