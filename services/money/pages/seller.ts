import type { Context } from "moleculer";
import type { Meta } from "../../../core/declare/principal.ts";

/** The display name of the organisation. */
export const sellerOf = async (ctx: Context<unknown, Meta>): Promise<string> =>
  (await ctx.call<{ brand_name: string }, object>("meta.tenant", {})).brand_name;
