import { SaxesParser } from "saxes";

/** An element of a response: its trimmed text, and its child elements. */
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

/** Deeper than any registrar's response. */
const DEEPEST = 32;
const DECLARED = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;

/** Decodes bytes by the encoding in their prologue, else as UTF-8 (XML 1.0 §4.3.3). @throws RangeError for an unknown encoding */
function textOf(bytes: Buffer): string {
  const [, encoding = "utf-8"] = DECLARED.exec(bytes.subarray(0, 200).toString("latin1")) ?? [];
  return new TextDecoder(encoding).decode(bytes).trimStart();
}

/**
 * Parses XML. It must be well-formed to its end, so a truncated response is an error. Document types are refused, and with them all
 * entities except those of XML itself (assets §10.1).
 * @throws Error in one sentence
 */
export function readXml(bytes: Buffer): XmlElement {
  const parser = new SaxesParser();
  const open: Open[] = [{ name: "", text: "", children: [] }];
  const last = () => open.at(-1) as Open;
  const refuse = (why: string) => {
    throw new Error(why);
  };
  parser.on("error", (error) => refuse(`the answer is not XML: ${error.message}`));
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

/** The first child element with that name. */
export const child = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((one) => one.name === name);

/** The text of the first child element with that name; null if missing or empty, meaning not reported. */
export const textIn = (element: XmlElement | undefined, name: string): string | null => child(element, name)?.text || null;
