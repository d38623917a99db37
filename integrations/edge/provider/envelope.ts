export type Fields = Readonly<Record<string, unknown>>;
export const objectIn = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

/** An error reported by the provider; `code` is null if absent. */
export interface ReportedError {
  code: number | null;
  message: string;
}

/** The most errors read from a response, and the depth of their chains: real ones have a few. */
const [MOST_ERRORS, DEEPEST] = [20, 5];

/**
 * The `errors` of an envelope, read leniently, each followed by its `error_chain`. The outer error of a refused record only says "DNS
 * Validation Error"; the reason is in the chain.
 */
export function errorsIn(envelope: unknown): ReportedError[] {
  const read = (list: unknown, depth: number): ReportedError[] =>
    (Array.isArray(list) && depth <= DEEPEST ? list.slice(0, MOST_ERRORS) : []).flatMap((one) => {
      const { code, message, error_chain } = objectIn(one);
      const number = Number(code);
      const own = {
        code: Number.isInteger(number) && number > 0 ? number : null,
        message: typeof message === "string" ? message : "",
      };
      return [own, ...read(error_chain, depth + 1)];
    });
  return read(objectIn(envelope)["errors"], 1).slice(0, MOST_ERRORS);
}
