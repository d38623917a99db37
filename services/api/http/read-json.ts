import { isExactNumber } from "../../../core/values/money.ts";

/** Numbers that a JavaScript number may round; a match inside a text only costs a second parse. */
const MAY_ROUND = /\d[\d.]{15}|\de-?\d/i;

type Parsed = Record<string, unknown>;
const isParsed = (value: unknown): value is Parsed => typeof value === "object" && value !== null;

/** Numbers that a JavaScript number would round become their written digits. */
const asWritten = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === "number" && source !== undefined && !isExactNumber(source) ? source : value;

/** `read` with its custom values from `written`, at any depth. */
function withWrittenCustom(read: unknown, written: unknown): unknown {
  if (!isParsed(read)) return read;
  const inner = written as Parsed;
  const both = (name: string, value: unknown) =>
    name === "custom" && isParsed(value) ? inner[name] : withWrittenCustom(value, inner[name]);
  if (Array.isArray(read)) return read.map((one, index) => withWrittenCustom(one, inner[index]));
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, both(name, value)]));
}

/**
 * Parses the JSON of a body. In `custom`, a number that a JavaScript number would round is its written digits, as text: what it may be
 * depends on the custom field, whose check refuses or stores all of them (platform §4).
 * @throws SyntaxError
 */
export function readJson(text: string): unknown {
  const read: unknown = JSON.parse(text);
  if (!text.includes('"custom"') || !MAY_ROUND.test(text)) return read;
  return withWrittenCustom(read, JSON.parse(text, asWritten));
}
