import { declared } from "../../core/declare/action.ts";
import type { InstanceCaller, InstanceMeta } from "../../core/declare/instance.ts";
import type { ActionContext } from "../../core/declare/options.ts";
import { service } from "../../mixins/resource.ts";
import { asOwner } from "../owner.ts";
import { callerOf } from "./callers.ts";

/** Whose credentials the gateway asks for, for what it serves outside the API. */
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
  },
});
