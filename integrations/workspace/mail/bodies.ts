import { runtime } from "../../../core/config/runtime.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { isOurs } from "./faults.ts";
import { mayLogMail, readableMailboxes } from "./mailbox-rows.ts";
import { stageWhole } from "./whole-message.ts";

/** Bodies that one sweep reads per organisation. */
const MOST = 50;

interface Awaited {
  interaction_id: string;
  owner_account_id: string;
  mail_message_id: string;
}

/**
 * Reads the bodies and files of messages logged since the last sweep (workspace §2.5). A message that the mailbox no longer has keeps its
 * snippet; one that could not be read is retried by a later sweep, after all others.
 */
export async function sweepBodies(run: OrganisationRun): Promise<void> {
  const connections = await run.read(async () => ((await mayLogMail()) ? readableMailboxes() : []));
  if (connections.length === 0) return;
  const owners = new Map(connections.map(({ id, account_id }) => [account_id, googleAccess({ id }, run)]));
  const body = { owners: [...owners.keys()], most: MOST };
  for (const awaited of await run.call<Awaited[]>("interactions.mailbox.awaiting", { body })) {
    run.signal.throwIfAborted();
    const { owner_account_id: owner, interaction_id, mail_message_id } = awaited;
    const google = owners.get(owner);
    if (!google) continue;
    await run.call("interactions.mailbox.tried", { body: { interaction_id } });
    try {
      const staged = await stageWhole(google, mail_message_id, {
        organisationId: run.organisation.id,
        most: runtime().config.uploadLimit,
        signal: run.signal,
      });
      await run.call("interactions.mailbox.body", { body: { interaction_id, file: staged } });
    } catch (error) {
      if (isOurs(error)) throw error;
      if (error instanceof GoogleFailure && error.kind === "not_found")
        await run.call("interactions.mailbox.body", { body: { interaction_id, file: null } });
      // The other messages of this mailbox would fail too, and each attempt counts towards the provider's limits.
      else if (error instanceof GoogleFailure) owners.delete(owner);
      else
        run.logger.warn(
          { event: "workspace.body_not_read", organisation: run.organisation.slug, error: (error as Error).name },
          "a message's body was not read",
        );
    }
  }
}
