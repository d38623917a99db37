import { setTimeout as delay } from "node:timers/promises";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { eventStream, NoData, StreamError } from "../../../core/declare/event-stream.ts";
import { stream } from "../../../core/declare/makers/stream.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { answer, choice, flag, input, integer, Type, text } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { openStreamCount } from "../../../mixins/streams.ts";

const Words = { text: Type.Object({ text: Type.String() }), done: NoData, error: StreamError };
const Ticks = { tick: Type.Object({ n: Type.Integer() }) };
const Reported = { reported: Type.Object({ total: Type.Integer(), again: Type.Boolean() }), done: NoData, error: StreamError };
const State = answer("ProofStreams", { open: integer(), sent: integer(), gone: integer() });
const MEMBERS = statement("select count(*)::int as members from memberships");
const EVENT = "x".repeat(8 * 1024);

/** Counters of this node's streams. */
const state = { sent: 0, gone: 0 };

/** Streams of every kind, for the stream tests. */
export const streaming = actor("proof.streams", {
  actions: {
    words: stream({
      rest: "POST /proof/streams/words",
      summary: "Sends the words of a text",
      permission: "companies.company.write",
      body: input("ProofWords", { text: text(200), fails: Type.Optional(choice(["gate", "refusal", "error"] as const)) }),
      streams: Words,
      errors: ["conflict"],
      async prepare({ params: { body } }) {
        if (body.fails === "gate") throw refusal("conflict");
      },
      handler: ({ params: { body } }) =>
        eventStream<typeof Words>(async (out) => {
          for (const word of body.text.split(" ")) await out.send("text", { text: word });
          if (body.fails === "refusal") throw refusal("conflict");
          if (body.fails === "error") throw new Error("a secret of the house");
          await out.send("done", {});
        }),
    }),
    ticks: stream({
      rest: "GET /proof/streams/ticks",
      summary: "Ticks until its caller goes",
      permission: "companies.company.read",
      query: { silent: flag(false) },
      streams: Ticks,
      handler: ({ params: { silent } }) =>
        eventStream<typeof Ticks>(async (out) => {
          out.signal.addEventListener("abort", () => (state.gone += 1));
          for (let n = 1; ; n++) {
            await out.send("tick", { n }, `at-${n}`);
            await delay(silent ? 3_600_000 : 20, undefined, { signal: out.signal, ref: false });
          }
        }),
    }),
    flood: stream({
      rest: "GET /proof/streams/flood",
      summary: "Sends as much as is taken",
      permission: "companies.company.read",
      query: { events: integer(1, 10_000) },
      streams: Words,
      handler: ({ params: { events } }) =>
        eventStream<typeof Words>(async (out) => {
          state.sent = 0;
          for (; state.sent < events; state.sent++) await out.send("text", { text: EVENT });
          await out.send("done", {});
        }),
    }),
    calls: stream({
      rest: "GET /proof/streams/calls",
      summary: "Calls another actor as its caller, and once more when access has moved on",
      permission: "companies.company.read",
      streams: Reported,
      handler: () =>
        eventStream<typeof Reported>(async (out) => {
          const total = async () => (await out.call<{ total: number }>("companies.list", { limit: 1, offset: 0 })).total;
          const count = async () => (await query<{ members: number }>(MEMBERS))[0]?.members;
          const before = await count();
          await out.send("reported", { total: await total(), again: false });
          while ((await count()) === before) await delay(20);
          await out.send("reported", { total: await total(), again: true });
          await out.send("done", {});
        }),
    }),
    state: action({
      rest: "GET /proof/streams/state",
      summary: "What the streams of this node have done",
      permission: "companies.company.read",
      returns: State,
      handler: async () => ({ open: openStreamCount(), ...state }),
    }),
  },
});
