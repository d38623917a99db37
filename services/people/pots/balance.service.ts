import { action } from "../../../core/declare/action.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { flag, list, optional, uuid } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { askedPerson } from "../callers.ts";
import { year } from "../sent.ts";
import { byName } from "../sources.ts";
import { groupBalances, typeBalances } from "./balance.ts";
import { LeaveBalance, LeaveGroupBalance } from "./entitlement-schemas.ts";
import { balanceSources, namedPerson, settledSources } from "./pots.ts";

export default service("leave.balance", {
  actions: {
    types: action({
      rest: "GET /leave/balance",
      summary: "A person's balance of a year, one row per type that tracks one",
      permission: "leave.request.read",
      query: { year: year(), user_id: optional(uuid()) },
      returns: list(LeaveBalance),
      tool: {
        name: "my_leave",
        description: "The caller's own leave of a year: entitled, approved, pending and remaining hours per type.",
        takes: ["year"],
        defaults: { year: "this_year" },
      },
      writes: true,
      async handler(ctx) {
        const asked = askedPerson(ctx.params.user_id, "leave.request.read:any");
        if (asked === null) return [];
        const sources = await settledSources([asked], [ctx.params.year]);
        return typeBalances(balanceSources(sources, namedPerson(sources, asked)), ctx.params.year);
      },
    }),

    groups: action({
      rest: "GET /leave/balance/groups",
      summary: "Balances of a year per group of types, with every pot behind them",
      description: "`all_users` without the permission to read everyone's leave returns the caller's own.",
      permission: "leave.request.read",
      query: { year: year(), user_id: optional(uuid()), all_users: optional(flag(false)) },
      returns: list(LeaveGroupBalance),
      writes: true,
      async handler(ctx) {
        const { year: wanted, user_id, all_users = false } = ctx.params;
        if (all_users && user_id === undefined && mayCaller("leave.request.read:any")) {
          const sources = await settledSources("all", [wanted]);
          return sources.people
            .filter(({ pots, bookings }) => pots.length + bookings.length > 0)
            .sort(byName)
            .flatMap((person) =>
              groupBalances(balanceSources(sources, person), wanted).map((group) => ({ user_id: person.user_id, ...group })),
            );
        }
        const asked = askedPerson(user_id, "leave.request.read:any");
        if (asked === null) return [];
        const sources = await settledSources([asked], [wanted]);
        return groupBalances(balanceSources(sources, namedPerson(sources, asked)), wanted).map((group) => ({
          user_id: null,
          ...group,
        }));
      },
    }),
  },
});
