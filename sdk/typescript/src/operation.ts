/** How a body is sent. */
export type BodyKind = "json" | "multipart" | "form";
/** What an answer is made into. */
export type AnswerKind = "json" | "page" | "list" | "none" | "file" | "events";

/** One operation of the API, as the client calls it. */
export interface Operation {
  method: string;
  /** With its parameters in braces. */
  path: string;
  parameters: readonly string[];
  body: BodyKind | undefined;
  takesQuery: boolean;
  answer: AnswerKind;
  /** Those of `limit` and `count` that a list takes. */
  walks: readonly string[];
  /** Whether it takes an `Idempotency-Key`. */
  takesKey: boolean;
}

const BODIES: readonly string[] = ["json", "multipart", "form"] satisfies BodyKind[];
const ANSWERS: readonly string[] = ["page", "list", "none", "file", "events"] satisfies AnswerKind[];

/** Reads a line of the table of operations: method, path, then words for what differs from a read of JSON. */
export function operationOf(line: string): Operation {
  const [method = "", path = "", ...words] = line.split(" ");
  const word = (kinds: readonly string[], prefix: string) =>
    words.find((one) => one.startsWith(prefix) && kinds.includes(one.slice(prefix.length)))?.slice(prefix.length);
  return {
    method,
    path,
    parameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name),
    body: word(BODIES, "sends:") as BodyKind | undefined,
    takesQuery: words.includes("query"),
    answer: (word(ANSWERS, "answers:") as AnswerKind | undefined) ?? "json",
    walks: words.filter((one) => one === "limit" || one === "count"),
    takesKey: words.includes("key"),
  };
}
