import { internal } from "../../../core/declare/makers/internal.ts";
import { prepared } from "../../../core/request/context.ts";
import { Type } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import type { ReportWarning, Snapshot } from "../snapshot.ts";
import { chosenTone } from "../tones/chosen-tone.ts";
import type { ToneTexts } from "../tones/house-tone.ts";
import { seedHouseTone } from "../tones/tone-rows.ts";
import { bannedPhrasesIn, isInOtherLanguage, tidyProse, withoutInvented } from "./checked-prose.ts";
import { proseMaterial } from "./material.ts";
import { standingNumbers } from "./standing-numbers.ts";
import { allTones, beginTurn, contextOf, endTurn, type TurnAnswer } from "./turn-rows.ts";
import { LONGEST_PROSE } from "./write-prose.ts";

/** Most tokens of an answer for several sections, and for one (workspace-reporting §1.5). */
const MOST_TOKENS = { several: 4096, one: 900 };
/** Longest wait for an answer, in milliseconds. */
const LONGEST = 240_000;

const ProseRun = Type.Object({
  report_id: Type.String({ format: "uuid", description: "The report" }),
  run_id: Type.String({ format: "uuid", description: "The requesting run: the same for all its attempts" }),
  snapshot: Type.Unsafe<Snapshot>({ type: "object", description: "Figures and labels of the report" }),
  section_keys: Type.Array(Type.String(), { description: "Keys of the sections to write" }),
});
const Warning = Type.Object({
  code: Type.String({ description: "Code below `reporting.warning.`" }),
  detail: Type.Union([Type.String(), Type.Null()], { description: "Subject; null: the whole report" }),
});
const ProseWritten = Type.Object({
  narrative: Type.Record(Type.String(), Type.String(), { description: "Text by section" }),
  warnings: Type.Array(Warning, { description: "A warning about the prose for readers of the report" }),
});

/** The AI module's answer. */
interface Answered {
  outcome: "written" | "unavailable" | "late" | "failed";
  reason: string | null;
  parts: readonly { key: string; text: string }[];
}

const warning = (code: string, detail: string | null = null): ReportWarning => ({ code, detail });
const WITHOUT_PROSE = { unavailable: "ai_unavailable", late: "ai_timeout", failed: "ai_failed" } as const;

/** The tone and the client's context for the prose. An organisation without any tone first gets the standard one. */
async function writtenBy(reportId: string, { locale }: Snapshot) {
  let tones = await allTones();
  if (tones.length === 0) {
    await inOwnTransaction(seedHouseTone);
    tones = await allTones();
  }
  const context = await contextOf(reportId);
  return { tone: chosenTone(tones, context?.tone_id ?? null, locale), context: context ?? null };
}

/** The outcome of a call that threw: unavailable on 503 or 404, otherwise failed with an unknown answer. */
function unanswered(error: unknown): Answered {
  const { code, type } = error as { code?: unknown; type?: unknown };
  const reason = typeof type === "string" ? type.toLowerCase() : "unknown";
  return { outcome: code === 503 || code === 404 ? "unavailable" : "failed", reason, parts: [] };
}

/** Checks a model's texts: only requested sections, in the report's language, without invented numbers. */
function judged(parts: Answered["parts"], keys: readonly string[], snapshot: Snapshot, tone: ToneTexts): TurnAnswer {
  const standing = standingNumbers(snapshot);
  const texts = new Map(parts.map(({ key, text }) => [key, tidyProse(text)]));
  const narrative: TurnAnswer["narrative"] = {};
  const warnings: ReportWarning[] = [];
  if (keys.every((key) => !texts.get(key))) return { narrative, warnings: [warning("ai_empty")] };
  for (const key of keys) {
    const text = texts.get(key) ?? "";
    if (text === "") warnings.push(warning("ai_empty", key));
    else if (isInOtherLanguage(text, snapshot.locale)) warnings.push(warning("ai_failed", `${key}: language`));
    else {
      const checked = withoutInvented(text, snapshot.locale, standing);
      if (checked.invented.length > 0) warnings.push(warning("ai_number", `${key}: ${checked.invented.join(", ")}`));
      const banned = snapshot.audience === "client" ? bannedPhrasesIn(checked.text, tone.banned_phrases) : [];
      warnings.push(...banned.map((phrase) => warning("banned_phrase", `${key}: ${phrase}`)));
      if (checked.text !== "") narrative[key] = checked.text;
    }
  }
  return { narrative, warnings };
}

/** Prose of reports: one model turn per run, stored before and after (workspace-reporting §1.5). */
export default service("reporting.prose", {
  actions: {
    write: internal({
      summary: "Write the prose of a report",
      description:
        "A repeat for the same report and run returns the stored answer. It returns no errors: without prose it warns why.",
      open: "internal; the calling actor has checked access",
      body: ProseRun,
      returns: ProseWritten,
      timeout: LONGEST_PROSE,
      acts: "outside",
      async prepare(ctx): Promise<TurnAnswer> {
        const { report_id, run_id, snapshot, section_keys } = ctx.params.body;
        const keys = section_keys.filter((key) => snapshot.sections.some((section) => section.key === key));
        if (keys.length === 0) return { narrative: {}, warnings: [] };
        const id = { report_id, run_id };
        const turn = await beginTurn(id);
        if (turn === null) return { narrative: {}, warnings: [warning("ai_failed", "unknown")] };
        if (turn !== "begun") return turn;
        const by = await writtenBy(report_id, snapshot);
        const parts = snapshot.sections.filter(({ key }) => keys.includes(key)).map(({ key, title }) => ({ key, title }));
        const body = {
          ...proseMaterial(snapshot, keys, by),
          language: snapshot.locale,
          parts,
          max_tokens: keys.length === 1 ? MOST_TOKENS.one : MOST_TOKENS.several,
          timeout: LONGEST,
        };
        // On any failure the run continues without prose, so the figures print.
        const answered = await ctx.call<Answered, object>("ai.prose.write", { body }).catch(unanswered);
        const { outcome, reason } = answered;
        const answer =
          outcome === "written"
            ? judged(answered.parts, keys, snapshot, by.tone)
            : { narrative: {}, warnings: [warning(WITHOUT_PROSE[outcome], reason)] };
        await endTurn(id, answer);
        return answer;
      },
      handler: async () => prepared(),
    }),
  },
});
