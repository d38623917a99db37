import type pg from "pg";
import { declared } from "../../core/declare/action.ts";
import type { InstanceCaller, InstanceMeta } from "../../core/declare/instance.ts";
import type { ActionContext } from "../../core/declare/options.ts";
import { unauthorized } from "../../core/errors/errors.ts";
import { service } from "../../mixins/resource.ts";
import { asOwner } from "../owner.ts";
import { recordAct } from "./audit.ts";
import { callerOf } from "./callers.ts";

interface RecordedAct {
  act: string;
  detail: Record<string, unknown>;
  /** A superuser whose session the gateway has checked on an organisation's host; absent for an instance administrator. */
  superuser?: { accountId: string; host: string };
}

/** @throws 401 for an account that is no superuser, or no longer */
async function emailOfSuperuser(client: pg.ClientBase, accountId: string): Promise<string> {
  const { rows } = await client.query<{ email: string }>("select email from accounts where id = $1 and is_superuser", [
    accountId,
  ]);
  if (!rows[0]) throw unauthorized();
  return rows[0].email;
}

/** Whose credentials the gateway asks for, and whose acts it records, for what it serves outside the API. */
export default service("instance.callers", {
  actions: {
    identify: declared({
      summary: "Identify the instance administrator of a credential",
      open: "the gateway asks for it; the credential decides",
      needs: "nothing",
      untenanted: true,
      handler: (ctx: ActionContext): Promise<InstanceCaller | null> => {
        const { credential } = (ctx.meta as unknown as { instance: InstanceMeta }).instance;
        return asOwner((client) => callerOf(client, credential));
      },
    }),

    record: declared({
      summary: "Write what an instance administrator or a superuser did on a page in the audit",
      open: "the gateway calls it; the credential decides",
      needs: "nothing",
      untenanted: true,
      handler: async (ctx: ActionContext<RecordedAct>): Promise<void> => {
        const meta = (ctx.meta as unknown as { instance: InstanceMeta }).instance;
        const { act, detail, superuser } = ctx.params;
        await asOwner(async (client) => {
          if (superuser) {
            const actor = await emailOfSuperuser(client, superuser.accountId);
            return recordAct(client, act, null, meta, { actor, detail: { ...detail, host: superuser.host } });
          }
          const caller = await callerOf(client, meta.credential);
          if (!caller) throw unauthorized();
          return recordAct(client, act, caller, meta, { detail });
        });
      },
    }),
  },
});
