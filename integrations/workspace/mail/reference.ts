/** A reference to a message or thread, as pasted by a person. */
export type MailReference =
  | { kind: "message"; id: string }
  | { kind: "thread"; id: string }
  /** A Message-ID without angle brackets. */
  | { kind: "header"; value: string };

/** Why a reference cannot be read: it is empty, an internal id of the web mail, or anything else. */
export type Unreadable = "empty" | "web_id" | "unreadable";

const HEX = /^[0-9a-f]{8,32}$/i;
const NUMBERED = /^#?(msg|thread)-[fa]:(\d{1,38})$/i;
const HEADER = /^(?:rfc822msgid:)?<?([^\s<>@]+@[^\s<>@]+)>?$/i;
const HOST = "mail.google.com";

function readPlain(text: string): MailReference | undefined {
  if (HEX.test(text)) return { kind: "message", id: text.toLowerCase() };
  const [, kind, number] = NUMBERED.exec(text) ?? [];
  if (kind !== undefined && number !== undefined) {
    const id = BigInt(number).toString(16);
    return { kind: kind.toLowerCase() === "msg" ? "message" : "thread", id };
  }
  const header = HEADER.exec(text)?.[1];
  return header === undefined ? undefined : { kind: "header", value: header };
}

function readLink(link: URL): MailReference | Unreadable {
  for (const name of ["th", "msgid", "permmsgid", "permthid"]) {
    const read = readPlain(link.searchParams.get(name) ?? "");
    if (read) return read;
  }
  const behind = link.hash.replace(/^#/, "").split("?")[0] ?? "";
  const segments = behind.split("/").filter((part) => part !== "");
  const last = decoded(segments.at(-1) ?? "");
  const read = readPlain(last);
  if (read) return read;
  // An internal id of the web mail, of any length, which no API accepts.
  return link.hostname === HOST && segments.length > 1 ? "web_id" : "unreadable";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses a pasted reference: an id, a numbered id of the web mail, a Message-ID or a mail link (workspace §2.6, "lookup"). */
export function readReference(text: string): MailReference | Unreadable {
  const given = text.trim();
  if (given === "") return "empty";
  if (/^https?:\/\//i.test(given)) return URL.canParse(given) ? readLink(new URL(given)) : "unreadable";
  return readPlain(given) ?? "unreadable";
}
