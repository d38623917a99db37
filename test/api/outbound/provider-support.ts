import { expect } from "chai";
import { type ProviderCall, ProviderFailure, provider } from "../../../core/outbound/provider/provider.ts";
import { KeyedWrites } from "../../simulators/keyed-writes.ts";
import type { Received, Reply } from "../../simulators/simulator.ts";

export const SECRET = "tok_0123456789";

/** Keyed writes, and rows that can be read. */
export class Rows extends KeyedWrites {
  protected override answer(request: Received): Reply {
    if (request.method === "GET" && request.path === "/rows") return { status: 200, body: { rows: this.rows.length } };
    if (request.method === "GET" && request.path === "/text") return { status: 200, body: "no JSON" };
    if (request.method === "GET" && request.path === "/missing") return { status: 404, body: { error: "missing" } };
    if (request.method === "PATCH" && request.path === "/rows") return { status: 200, body: { patched: true } };
    return super.answer(request);
  }
}

export const simulator = new Rows();
let counter = 0;
/** Time for an answer that a test itself gives when it has done something else. */
export const PATIENT = { readTimeout: 30_000 };
export const describeProvider = (more = {}) =>
  provider({
    kind: `proof${++counter}`,
    baseUrl: () => simulator.origin,
    connectTimeout: 2000,
    readTimeout: 1000,
    mostBytes: 1 << 20,
    ...more,
  });
export const READ: ProviderCall = { account: "a", operation: "rows.list", path: "/rows", secrets: [SECRET] };
export const write = (key?: string): ProviderCall => ({
  account: "a",
  operation: "rows.create",
  method: "POST",
  path: "/writes",
  json: { name: "x" },
  headers: key === undefined ? { "Idempotency-Key": `${Math.random()}` } : {},
  ...(key !== undefined && { idempotencyKey: { header: "Idempotency-Key", value: key } }),
});
export const failureOf = (call: Promise<unknown>): Promise<ProviderFailure> =>
  call.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => {
      if (error instanceof ProviderFailure) return error;
      throw error;
    },
  );
