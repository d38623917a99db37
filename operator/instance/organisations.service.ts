import { runtime } from "../../core/config/runtime.ts";
import { retryAfterSuspension } from "../../core/jobs/operating.ts";
import { service } from "../../mixins/resource.ts";
import { cancelDeletion, PURGE_DAYS, pageOfOrganisations, requestDeletion, resume, suspend } from "../lifecycle.ts";
import { createOrganisation } from "../organisations.ts";
import { asOwner, ownerUrl } from "../owner.ts";
import { purge, purgeInBatches, removeBytes } from "../purge.ts";
import { withQueue } from "../queue.ts";
import { instanceAction, requireUnlimited, unfit } from "./action.ts";
import { organisationOfCall, shown } from "./found.ts";
import { purgeDue } from "./purging.ts";
import {
  DeletionRequest,
  OrganisationCreate,
  OrganisationPage,
  OrganisationQuery,
  OrganisationRead,
  PurgeConfirmation,
  Purged,
  Reason,
} from "./schemas/organisations.ts";

const needs = "organisations";

/** Runs the jobs of an organisation again that had waited too long while it was suspended. */
const jobsAgain = (id: string): Promise<number> =>
  withQueue(runtime().config, ownerUrl(), (queue) => retryAfterSuspension(queue, id));

/** The organisations of the installation. */
export default service("instance.organisations", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/organisations",
      summary: "List organisations",
      needs,
      query: OrganisationQuery,
      returns: OrganisationPage,
      async handler({ client, caller, params: { q, state, limit = 50, cursor } }) {
        const { items, total, next } = await pageOfOrganisations(client, {
          q,
          state,
          limit,
          after: cursor,
          only: caller.organisations,
        });
        return { items: items.map(shown), total, limit, next_cursor: next };
      },
    }),

    read: instanceAction({
      rest: "GET /instance/organisations/:organisation_id",
      summary: "Show an organisation",
      needs,
      returns: OrganisationRead,
      errors: ["not_found"],
      handler: async ({ client, caller, params }) => shown(await organisationOfCall(client, caller, params.organisation_id)),
    }),

    create: instanceAction({
      rest: "POST /instance/organisations",
      summary: "Create an organisation",
      description:
        "It has four system roles and no member yet: create its owner with `POST /instance/organisations/{organisation_id}/users`.",
      needs,
      act: "organisation.created",
      body: OrganisationCreate,
      returns: OrganisationRead,
      status: 201,
      errors: ["instance_refused"],
      async handler({ client, caller, params: { body }, note }) {
        requireUnlimited(caller);
        const { slug, name = slug } = body;
        const { id } = await createOrganisation(client, { slug, name });
        note({ organisation: { id, slug }, detail: { name } });
        return shown(await organisationOfCall(client, caller, id));
      },
    }),

    suspend: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/suspend",
      summary: "Suspend an organisation",
      description:
        "From the next request on its host refuses everyone with 403 `org_suspended`; its jobs, mails and webhooks wait. Nothing of it is lost.",
      needs,
      act: "organisation.suspended",
      body: Reason,
      returns: OrganisationRead,
      status: 200,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const reason = body.reason ?? null;
        await suspend(client, id, reason);
        note({ organisation, detail: { reason } });
        return shown(await organisationOfCall(client, caller, id));
      },
    }),

    resume: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/resume",
      summary: "End the suspension of an organisation",
      needs,
      act: "organisation.resumed",
      returns: OrganisationRead,
      status: 200,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id }, note, afterCommit }) {
        note({ organisation: await organisationOfCall(client, caller, id) });
        await resume(client, id);
        const made = shown(await organisationOfCall(client, caller, id));
        return afterCommit(() => jobsAgain(id).then(() => made));
      },
    }),

    remove: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/deletion",
      summary: "Request the deletion of an organisation",
      description: `It is suspended at once, and purged after ${PURGE_DAYS} days or the number of days in the request. Until then the deletion can be cancelled.`,
      needs,
      act: "organisation.deletion_requested",
      body: DeletionRequest,
      returns: OrganisationRead,
      status: 200,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const { reason = null, days = PURGE_DAYS } = body;
        const purgeAt = await requestDeletion(client, id, days, reason);
        note({ organisation, detail: { reason, purge_at: purgeAt } });
        return shown(await organisationOfCall(client, caller, id));
      },
    }),

    keep: instanceAction({
      rest: "DELETE /instance/organisations/:organisation_id/deletion",
      summary: "Cancel the deletion of an organisation",
      description: "It is active again, or suspended if it was before.",
      needs,
      act: "organisation.deletion_cancelled",
      returns: OrganisationRead,
      status: 200,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id }, note, afterCommit }) {
        note({ organisation: await organisationOfCall(client, caller, id) });
        await cancelDeletion(client, id);
        const made = shown(await organisationOfCall(client, caller, id));
        return afterCommit(() => jobsAgain(id).then(() => made));
      },
    }),

    purge: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/purge",
      summary: "Delete an organisation for good, before its day",
      description:
        "Its deletion must have been requested. Its rows and files cannot be restored, except from a backup of the installation.",
      needs,
      act: "organisation.purged",
      body: PurgeConfirmation,
      returns: Purged,
      status: 200,
      timeout: 600_000,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note, afterCommit }) {
        const organisation = await organisationOfCall(client, caller, id);
        if (body.slug !== organisation.slug) throw unfit("slug");
        const batches = await purgeInBatches(asOwner, id);
        const { rows: last, accounts } = await purge(client, id);
        const rows = batches + last;
        note({ organisation, detail: { rows, accounts } });
        return afterCommit(async () => ({ rows, accounts, files: await removeBytes(id) }));
      },
    }),
  },
  jobs: {
    "instance.purge": {
      about: "Deletes organisations whose day has come for good, and what earlier purges left in the stores of files",
      per: "installation",
      schedule: "10 4 * * *",
      timeout: 3_600_000,
      handler: () => purgeDue(),
    },
  },
});
