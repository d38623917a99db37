import { queryOutside } from "../../../core/database/query.ts";
import { mayBeWritten } from "../../../core/declare/licence.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { LICENCE_COLUMNS, licenceOf, type StoredLicence } from "../../../core/organisation/licence-state.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { passGate, setAside, wasLate } from "../gate/gate.ts";
import { submission } from "../gate/submission.ts";
import { LONGEST_ACTION } from "../providers/outside.ts";
import { ProseAnswer, type ProseAnswered, ProseRequest, proseIn, proseQuestion, SUBMIT } from "./prose.ts";

const LICENCE = statement(`select ${LICENCE_COLUMNS} from organisations o where o.id = $1`);

const without = (outcome: ProseAnswered["outcome"], reason: string): ProseAnswered => ({ outcome, reason, parts: [] });

/** Whether the organisation's licence covers AI now. */
async function isLicensed(): Promise<boolean> {
  const row = await queryOutside<StoredLicence>(LICENCE, [request().organisation.id]);
  return row !== undefined && mayBeWritten("ai", licenceOf(row), Date.now());
}

/** The outcome of one of Kantoor's refusals; rethrows other errors. */
function outcomeOf(error: unknown, outcome: ProseAnswered["outcome"]): ProseAnswered {
  if (!isApiError(error) || error.code === 503) throw error;
  return without(outcome, error.type);
}

export default service("ai.prose", {
  actions: {
    write: internal({
      summary: "Write the prose of a document's parts",
      description:
        "Sees only what is sent to it and changes no record. It never exceeds the budget and returns no errors: its status reports the outcome.",
      open: "internal; the calling actor has checked access",
      body: ProseRequest,
      returns: ProseAnswer,
      timeout: LONGEST_ACTION,
      acts: "outside",
      async prepare(ctx): Promise<ProseAnswered> {
        const { body } = ctx.params;
        if (!(await isLicensed())) return without("unavailable", "license_expired");
        const question = proseQuestion(body);
        let call: Awaited<ReturnType<typeof setAside>>;
        try {
          call = await setAside(await passGate("reporting", {}), question);
        } catch (error) {
          return outcomeOf(error, "unavailable");
        }
        const signal = AbortSignal.timeout(body.timeout);
        try {
          // With a reader the answer streams, so the timeout covers the whole answer, not just the silence before it.
          const streamed = { ...question, signal, onText: async () => {} };
          const input = await call.run(async (ask) => submission(ask, streamed, SUBMIT, await ask(streamed)));
          const seen = [question.system, body.data];
          return {
            outcome: "written",
            reason: null,
            parts: proseIn(
              input,
              body.parts.map(({ key }) => key),
              seen,
            ),
          };
        } catch (error) {
          return outcomeOf(error, signal.aborted || wasLate(error) ? "late" : "failed");
        }
      },
      handler: async () => prepared(),
    }),
  },
});
