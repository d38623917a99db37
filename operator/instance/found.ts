import type pg from "pg";
import { runtime } from "../../core/config/runtime.ts";
import type { InstanceCaller } from "../../core/declare/instance.ts";
import { notFound } from "../../core/errors/errors.ts";
import { type OrganisationSummary, summaryOf } from "../lifecycle.ts";
import { requireWithin } from "./action.ts";

/** An organisation as the API returns it. */
export const shown = (summary: OrganisationSummary) => ({
  ...summary,
  hostname: `${summary.slug}.${runtime().config.baseDomain}`,
});

/** The organisation that a call is about. @throws 404 if there is none with this id, or if the caller's key does not concern it */
export async function organisationOfCall(
  client: pg.ClientBase,
  caller: InstanceCaller,
  id: string,
): Promise<OrganisationSummary> {
  requireWithin(caller, id);
  const found = await summaryOf(client, id);
  if (!found) throw notFound();
  return found;
}
