/** The format of an answer: one JSON document, or a stream of events. */
export type AnswerForm = "json" | "events";

/** The `Accept` value that the protocol's package demands of every client. */
export const BOTH_FORMS = "application/json, text/event-stream";

const TYPES: Record<AnswerForm, string> = { json: "application/json", events: "text/event-stream" };

/** The media ranges of an `Accept` header with their weights from 0 to 1; an unreadable weight counts as 1. */
function rangesOf(accept: string): { range: string; weight: number }[] {
  return accept.split(",").flatMap((one) => {
    const [range = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.map((parameter) => /^q\s*=\s*([\d.]+)$/.exec(parameter)?.[1]).find((text) => text !== undefined);
    const number = Number(weight ?? 1);
    return range === "" ? [] : [{ range, weight: Number.isNaN(number) ? 1 : Math.min(1, number) }];
  });
}

/**
 * The answer format an MCP client accepts (RFC 9110 §12.5.1): the most specific range decides per format. JSON if both weigh the same, if
 * only a wildcard covers events, or if the header is empty.
 * @returns null for a client that accepts neither
 */
export function answerForm(accept = ""): AnswerForm | null {
  const ranges = rangesOf(accept);
  if (ranges.length === 0) return "json";
  const weightOf = (form: AnswerForm, named: boolean): number => {
    const type = TYPES[form];
    const wanted = [type, `${type.split("/")[0]}/*`, ...(named ? [] : ["*/*"])];
    for (const one of wanted) {
      const found = ranges.find(({ range }) => range === one);
      if (found) return found.weight;
    }
    return 0;
  };
  const json = weightOf("json", false);
  if (weightOf("events", true) > json) return "events";
  if (json > 0) return "json";
  return weightOf("events", false) > 0 ? "events" : null;
}
