import { endOf } from "../../../core/calendar/calendar.ts";
import { eventStream } from "../../../core/declare/event-stream.ts";
import { stream } from "../../../core/declare/makers/stream.ts";
import { prepared } from "../../../core/request/context.ts";
import { field, flag, input, optional } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { GATE_ERRORS, type Gate, type MeteredQuestion, passGate, type SetAside, setAside } from "../gate/gate.ts";
import { type Source, SourcedEvents } from "../texts/events.ts";
import { shownText } from "../texts/model-text.ts";
import { asData, DATA_RULE } from "../texts/untrusted.ts";
import { panelsOf, readAs } from "./material.ts";
import { ReportGenerateRequest } from "./schemas.ts";

const DigestRequest = input("DigestRequest", {
  override_budget: field(optional(flag(false)), "True carries on although the month's token budget is used up"),
});

/** A prepared text, with its question and sources. */
interface Ready {
  question: MeteredQuestion;
  call: SetAside;
  sources: Source[];
}

const TASK = "You write for people of an agency. State only what the data shows; figures are taken over as they are.";

const asked = (gate: Gate, rules: readonly string[], data: string): MeteredQuestion => {
  const { house_style: style } = gate.settings;
  const system = [TASK, ...rules, ...(style === null ? [] : [`House style of the organisation:\n${style}`]), DATA_RULE];
  return { system: system.join("\n\n"), turns: [{ role: "user", text: asData(data) }] };
};

/** Streams a prepared text, then its sources. */
function written() {
  const { question, call, sources } = prepared<Ready>();
  return eventStream<typeof SourcedEvents>(async (out) => {
    const seen = question.turns.flatMap((turn) => (turn.role === "tools" ? [] : [turn.text]));
    const { onText, end } = shownText(seen, (text) => out.send("text", { text }));
    await call.run((ask) => ask({ ...question, signal: out.signal, onText }));
    await end();
    await out.send("sources", { sources });
    await out.send("done", {});
  });
}

export default service("ai.texts", {
  actions: {
    digest: stream({
      rest: "POST /ai/companies/:company_id/digest",
      summary: "Summarise the recent activity of a client",
      description: "Uses only the panels that the caller can read.",
      permission: "ai.use",
      also: ["companies.company.read"],
      body: DigestRequest,
      example: { override_budget: false },
      streams: SourcedEvents,
      errors: [...GATE_ERRORS, "not_found"],
      acts: "outside",
      async prepare(ctx): Promise<Ready> {
        const { body, company_id: companyId } = ctx.params;
        const gate = await passGate("reporting", body);
        const { text, sources } = await panelsOf(ctx, companyId);
        const language = `Write in the language '${ctx.meta.organisation.locale}'.`;
        const rules = [
          "Summarise the state of this client in at most ten sentences: what runs, what waits, what needs attention.",
          language,
        ];
        const question = asked(gate, rules, text);
        return { question, sources, call: await setAside(gate, question) };
      },
      handler: written,
    }),

    generate: stream({
      rest: "POST /ai/reports/generate",
      summary: "Draft a report on a client's month",
      description: "Stores nothing: to store the text, send it to `POST /ai/reports`.",
      permission: "ai.use",
      also: ["companies.company.read"],
      body: ReportGenerateRequest,
      example: { company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001", period: "2026-02", language: "nl" },
      streams: SourcedEvents,
      errors: [...GATE_ERRORS, "not_found"],
      acts: "outside",
      async prepare(ctx): Promise<Ready> {
        const { body } = ctx.params;
        const { company_id, period, language = "nl" } = body;
        const gate = await passGate("reporting", body);
        const { text, sources } = await panelsOf(ctx, company_id);
        const date_from = `${period}-01`;
        const about = { company_id, date_from, date_to: endOf("month", date_from) };
        const logged = await readAs(ctx, "time.views.logged", about);
        const tasks = await readAs(ctx, "tasks.list", {
          company_id,
          updated_since: `${date_from}T00:00:00Z`,
          limit: 100,
          offset: 0,
          count: false,
        });
        const figures = [
          `panels: ${text}`,
          logged && `hours logged in the month: ${logged}`,
          tasks && `tasks changed since: ${tasks}`,
        ];
        const rules = [
          `Write a report on the month ${period} for this client, in markdown, in the language '${language}'.`,
          "Say where the data has nothing on the month.",
        ];
        const question = asked(gate, rules, figures.filter(Boolean).join("\n"));
        return { question, sources, call: await setAside(gate, question) };
      },
      handler: written,
    }),
  },
});
