import { declared } from "../../core/declare/action.ts";
import type { InstanceCaller, InstanceMeta } from "../../core/declare/instance.ts";
import type { ActionContext } from "../../core/declare/options.ts";
import { unauthorized } from "../../core/errors/errors.ts";
import { service } from "../../mixins/resource.ts";
import { asOwner } from "../owner.ts";
import { recordAct } from "./audit.ts";
import { callerOf } from "./callers.ts";

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
      summary: "Write what an instance administrator did on a page in the audit",
      open: "the gateway calls it; the credential decides",
      needs: "nothing",
      untenanted: true,
      handler: async (ctx: ActionContext<{ act: string; detail: Record<string, unknown> }>): Promise<void> => {
        const meta = (ctx.meta as unknown as { instance: InstanceMeta }).instance;
        const { act, detail } = ctx.params;
        await asOwner(async (client) => {
          const caller = await callerOf(client, meta.credential);
          if (!caller) throw unauthorized();
          await recordAct(client, act, caller, meta, { detail });
        });
      },
    }),
  },
});
