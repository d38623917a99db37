import { eventStream } from "../../../core/declare/event-stream.ts";
import { stream } from "../../../core/declare/makers/stream.ts";
import { prepared } from "../../../core/request/context.ts";
import { service } from "../../../mixins/resource.ts";
import { GATE_ERRORS, type MeteredQuestion, passGate, type SetAside, setAside } from "../gate/gate.ts";
import { TextEvents } from "./events.ts";
import { WritingAssistRequest, writingQuestion } from "./writing.ts";

export default service("ai.assist", {
  actions: {
    write: stream({
      rest: "POST /ai/assist/write",
      summary: "Improve, shorten, translate or draft a text",
      description: "Sees what is sent and the house style, and changes no record.",
      permission: "ai.use",
      body: WritingAssistRequest,
      example: {
        action: "shorten",
        text: "Zoals we vorige week telefonisch hebben besproken, sturen wij u hierbij de offerte voor de nieuwe website.",
        entity_type: "task",
        title: "Offerte sturen",
      },
      streams: TextEvents,
      errors: [...GATE_ERRORS],
      acts: "outside",
      async prepare(ctx) {
        const { body } = ctx.params;
        const gate = await passGate("writing_assist", body);
        const question = writingQuestion(body, gate.settings.house_style, ctx.meta.organisation.locale);
        return { question, call: await setAside(gate, question) };
      },
      handler() {
        const { question, call } = prepared<{ question: MeteredQuestion; call: SetAside }>();
        return eventStream<typeof TextEvents>(async (out) => {
          await call.run((ask) => ask({ ...question, signal: out.signal, onText: (text) => out.send("text", { text }) }));
          await out.send("done", {});
        });
      },
    }),
  },
});
