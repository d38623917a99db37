import { isApiError } from "../../../../core/errors/errors.ts";
import { JobFailure } from "../../../../core/errors/job-failure.ts";
import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { service } from "../../../../mixins/resource.ts";
import { billAgreement, billDomain } from "./bill-period.ts";

const MODULE = "invoicing";
const BILLED = "errors.invoicing.period_already_billed";
/** Refusals with a status below this are permanent: a retry would fail the same way. */
const SERVER_ERRORS = 500;

/** Bills one period in its own transaction. Skips a period that another document claimed meanwhile. */
async function bill(run: Pick<OrganisationRun, "write">, work: () => Promise<void>): Promise<void> {
  try {
    await run.write(work);
  } catch (error) {
    if (!isApiError(error) || error.code >= SERVER_ERRORS) throw error;
    if (error.message === BILLED) return;
    throw new JobFailure(`the period was not billed: ${error.message}`, null, { cause: error });
  }
}

export default service("invoicing.billing", {
  actions: {},
  subscribe: {
    "subscription.due": { module: MODULE, handler: ({ payload }, run) => bill(run, () => billAgreement(payload)) },
    "domain.due": { module: MODULE, handler: ({ payload }, run) => bill(run, () => billDomain(payload)) },
  },
});
