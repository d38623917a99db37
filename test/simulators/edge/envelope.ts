import type { Received, Reply } from "../simulator.ts";

/** A request to the simulated provider, with the path's parts below the root. */
export interface EdgeRequest extends Received {
  parts: string[];
  token: string;
}

/** Answers a request of its area, else returns null. */
export type EdgePart = (request: EdgeRequest) => Reply | null;

/** The provider's envelope of a response. */
export const envelope = (result: unknown, resultInfo?: object): Reply => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result, ...(resultInfo && { result_info: resultInfo }) },
});

/** A refusal in the provider's format; without a code `errors` has none. */
export const refused = (status: number, code: number | null, message: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { success: false, errors: [{ ...(code !== null && { code }), message }], messages: [], result: null },
});

/** A refusal with the chain of underlying errors; an empty chain is omitted. */
export const refusedChain = (
  status: number,
  code: number,
  message: string,
  error_chain: readonly { code: number; message: string }[],
): Reply => ({
  status,
  body: {
    success: false,
    errors: [{ code, message, ...(error_chain.length > 0 && { error_chain }) }],
    messages: [],
    result: null,
  },
});

export const notFoundReply = (code: number, message: string): Reply => refused(404, code, message);

/** The request body as an object. */
export const bodyOf = ({ body }: Received): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;
