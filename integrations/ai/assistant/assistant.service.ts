import type { ActionContext } from "../../../core/declare/action.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { eventStream } from "../../../core/declare/event-stream.ts";
import { stream } from "../../../core/declare/makers/stream.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { prepared } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { GATE_ERRORS, type MeteredQuestion, passGate, type SetAside, setAside } from "../gate/gate.ts";
import { AssistantEvents } from "../texts/events.ts";
import { asData, DATA_RULE } from "../texts/untrusted.ts";
import { converse } from "./conversation.ts";
import { AssistantRequest } from "./schemas.ts";
import { type ReadTool, readTools } from "./tools.ts";

type Body = Static<typeof AssistantRequest>;

/** Requires that the caller sees the record of a conversation. @throws 404 */
async function requireRecord(
  ctx: ActionContext,
  { entity_type: type, entity_id: id }: NonNullable<Body["context"]>,
): Promise<void> {
  const seen = catalogue().records.get(type)?.seen;
  if (!seen) throw notFound();
  const [name, parameter] = seen;
  await ctx.call(name, { [parameter]: id });
}

function questionOf({ messages, context }: Body, today: string): MeteredQuestion {
  const about = context ? [`The conversation is about this record:\n${asData(JSON.stringify(context))}`] : [];
  const system = [
    "You are the assistant of an agency's back office. You answer questions about its records, which you read by tools; you cannot change anything.",
    "If the tools return no answer, say so. Answer in the language of the question.",
    `Today is ${today}.`,
    ...about,
    DATA_RULE,
  ];
  // A conversation begins with a user message.
  const said = messages.filter(({ content }) => content.trim() !== "");
  const begun = said.slice(said.findIndex(({ role }) => role === "user"));
  if (begun[0]?.role !== "user") throw invalid({ messages: "errors.validation" });
  const turns = begun.map(({ role, content }) =>
    role === "user" ? { role, text: content } : { role, text: content, calls: [] },
  );
  return { system: system.join("\n\n"), turns };
}

export default service("ai.assistant", {
  actions: {
    converse: stream({
      rest: "POST /ai/assistant",
      verb: "converse",
      summary: "Ask the assistant, which reads what the caller can read",
      description: "At most five rounds of tools, then it answers. Tools read alone, and run as the caller.",
      permission: "ai.use",
      body: AssistantRequest,
      example: {
        messages: [{ role: "user", content: "Welke facturen van deze klant staan nog open?" }],
        context: { entity_type: "company", entity_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001", label: "Bakkerij De Korenaar" },
      },
      streams: AssistantEvents,
      errors: [...GATE_ERRORS, "not_found"],
      acts: "outside",
      async prepare(ctx) {
        const { body } = ctx.params;
        const question = questionOf(body, organisationToday());
        const gate = await passGate("assistant", body);
        if (body.context) await requireRecord(ctx, body.context);
        const tools = readTools(ctx.broker, ctx.meta.principal, ctx.meta.organisation.enabledModules);
        return { question, tools, call: await setAside(gate, { ...question, tools: tools.map(({ spec }) => spec) }) };
      },
      handler() {
        const { question, tools, call } = prepared<{ question: MeteredQuestion; tools: ReadTool[]; call: SetAside }>();
        return eventStream<typeof AssistantEvents>(async (out) => {
          await call.run((ask) => converse(question, tools, ask, out));
          await out.send("done", {});
        });
      },
    }),
  },
});
