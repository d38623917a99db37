import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { service } from "../../../mixins/resource.ts";
import { GATE_ERRORS, passGate, setAside } from "../gate/gate.ts";
import { LONGEST_ACTION } from "../providers/outside.ts";
import { clipOf } from "./audio.ts";
import { type DayFigures, gapOf, isShort } from "./grounding.ts";
import { parsedEntry, parseQuestion } from "./parse.ts";
import { doneOn, reconstructQuestion, suggestionsFor } from "./reconstruct.ts";
import {
  TimeParseRequest,
  TimeParseResult,
  TimeReconstructRequest,
  TimeReconstructResult,
  TimeTranscribeRequest,
  TimeTranscribeResult,
} from "./schemas.ts";
import { shortlist } from "./shortlist.ts";
import { transcribed } from "./transcribe.ts";

const errors = [...GATE_ERRORS, "ai_provider_error", "ai_answer_truncated"];

export default service("ai.time", {
  actions: {
    parse: action({
      rest: "POST /ai/time/parse",
      summary: "Read a time entry out of a sentence",
      description: "Creates nothing. Values that are not mentioned, or name no record that the caller sees, are null.",
      permission: "ai.use",
      body: TimeParseRequest,
      example: { text: "gisteren van 9 tot half 11 aan de webshop van De Korenaar gewerkt", today: "2026-03-03" },
      returns: TimeParseResult,
      status: 200,
      timeout: LONGEST_ACTION,
      errors,
      acts: "outside",
      async prepare(ctx) {
        const { body } = ctx.params;
        const gate = await passGate("time_assist", body);
        const today = body.today ?? organisationToday();
        const shown = await shortlist(ctx, body.text, today);
        const question = parseQuestion(body.text, today, shown);
        const call = await setAside(gate, question);
        return call.run((ask) => parsedEntry(ctx, question, shown, ask));
      },
      handler: async () => prepared(),
    }),

    reconstruct: action({
      rest: "POST /ai/time/reconstruct",
      summary: "Suggest time entries for the unlogged rest of a day",
      description:
        "Calls the model only if `short` is true and the trail shows that the caller touched tasks on that day. Hours count on their `work_date`; tasks on the day of the organisation's clock.",
      permission: "ai.use",
      body: TimeReconstructRequest,
      example: { date: "2026-03-02" },
      returns: TimeReconstructResult,
      status: 200,
      timeout: LONGEST_ACTION,
      errors,
      acts: "outside",
      async prepare(ctx) {
        const { body } = ctx.params;
        const gate = await passGate("time_assist", body);
        const [{ logged_minutes, touched }, planned] = await Promise.all([
          doneOn(body.date),
          ctx.call<Pick<DayFigures, "scheduled_minutes" | "leave_minutes">, object>("leave.team.ownDay", { date: body.date }),
        ]);
        const day = { ...planned, logged_minutes };
        const short = isShort(day);
        if (!short || touched.length === 0) return { short, ...day, suggestions: [] };
        const question = reconstructQuestion(body.date, gapOf(day), touched);
        const call = await setAside(gate, question);
        const suggestions = await call.run((ask) => suggestionsFor(question, gapOf(day), touched, ask));
        return { short, ...day, suggestions };
      },
      handler: async () => prepared(),
    }),

    transcribe: action({
      rest: "POST /ai/time/transcribe",
      summary: "Turn a clip of speech into text",
      description: "WebM, Ogg, MP4, WAV or MP3, detected from its bytes, of at most 8 MiB. The clip is not stored.",
      permission: "ai.use",
      also: ["time.entry.write"],
      body: TimeTranscribeRequest,
      example: { audio: "T2dnUwACAAAAAAAAAAA=", language: "nl" },
      returns: TimeTranscribeResult,
      status: 200,
      timeout: LONGEST_ACTION,
      errors: [
        ...errors,
        "ai_speech_not_configured",
        "validation errors.ai_audio_too_large",
        "validation errors.ai_audio_unsupported",
      ],
      acts: "outside",
      async prepare(ctx) {
        const { audio, language = null, override_budget = false } = ctx.params.body;
        return { text: await transcribed(clipOf(audio), language, override_budget) };
      },
      handler: async () => prepared(),
    }),
  },
});
