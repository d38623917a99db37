import { enqueue, query } from "../../../../core/database/query.ts";
import { forbidden, invalid, notFound } from "../../../../core/errors/errors.ts";
import { mayCaller } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trailEach } from "../../../../core/trail/trail.ts";
import { decimal } from "../../../../core/values/money.ts";
import { increaseBase, increased, type Price, priceAt } from "../../../../core/values/prices.ts";
import { badRequest } from "../../refusals.ts";
import { storePrices } from "../prices.ts";
import { referencesOf } from "../references.ts";
import { visibleSubscription } from "../subscription.list.ts";
import type { PriceIncrease, PriceIncreaseResult } from "./increase-schemas.ts";

type IncreaseRequest = Static<typeof PriceIncrease>;
type Result = Static<typeof PriceIncreaseResult>;

/** Exclusive limit of amounts (money §0 "Amounts"). */
const LIMIT = 1e10;

/** Agreements of a scope with their prices; a null scope does not filter. Locked in id order when prices will be written. */
const agreementsOf = (locking: string) =>
  statement(`select t.id, t.name, t.currency, t.company_id, c.name as company_name,
      (select coalesce(json_agg(json_build_object('amount', p.amount::text, 'valid_from', p.valid_from,
          'increased_from', p.increased_from::text)), '[]') from subscription_prices p
        where p.organisation_id = t.organisation_id and p.subscription_id = t.id) as prices
    from subscriptions t join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id
   where t.organisation_id = $1 and t.status <> 'cancelled'
     and ($2::uuid is null or t.subscription_type_id = $2) and ($3::uuid is null or t.id = $3)
     and ($4::uuid is null or t.subscription_template_id = $4)
     and ($5::uuid[] is null or ${visibleSubscription("$5::uuid[]")})
   order by t.id ${locking}`);
const LOOK = agreementsOf("");
const LOCK = agreementsOf("for update of t");
const presetsOf = (locking: string) =>
  statement(`select id, name, currency, amount, increased_from, increased_on from subscription_templates
    where organisation_id = $1 and ($2::uuid is null or subscription_type_id = $2) and ($3::uuid is null or id = $3) order by id ${locking}`);
const LOOK_PRESETS = presetsOf("");
const LOCK_PRESETS = presetsOf("for update");

const TOUCH = statement(`update subscriptions set version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = any($2::uuid[])`);
const MOVE_PRESETS = statement(`update subscription_templates t set amount = p.amount, increased_from = p.increased_from,
    increased_on = $5, version = t.version + 1, updated_at = statement_timestamp()
   from unnest($2::uuid[], $3::numeric[], $4::numeric[]) p (id, amount, increased_from)
  where t.organisation_id = $1 and t.id = p.id`);

interface Agreement {
  id: string;
  name: string;
  currency: string;
  company_id: string;
  company_name: string;
  prices: Price[];
}

interface Preset {
  id: string;
  name: string;
  currency: string;
  amount: string;
  increased_from: string | null;
  increased_on: string | null;
}

/** The amount of a preset that an increase builds on; a repeat for the same day replaces the former increase. */
const presetBase = ({ amount, increased_from, increased_on }: Preset, validFrom: string): string =>
  (increased_on === validFrom ? increased_from : null) ?? amount;

/**
 * Computes an increase of prices (money §9 "Price increase"); agreements without a current price count as skipped.
 * @param writes whether to store it, with a trail line for each agreement
 * @throws 400 `fields.scope` for several scopes, and for an unknown type or preset; 403 for presets without `template.manage`;
 *   404 for an agreement the caller does not see; 422 for a price that would be too large
 */
export async function increasePrices(asked: IncreaseRequest, writes: boolean): Promise<Result> {
  const { mode, value, valid_from } = asked;
  const scope = scopeOf(asked);
  await referencesOf({ subscription_type_id: scope.type, subscription_template_id: scope.template });
  const { organisation, principal } = request();
  const values = [organisation.id, scope.type, scope.single, scope.template, principal?.selection ?? null];
  const agreements = await query<Agreement>(writes ? LOCK : LOOK, values);
  if (scope.single !== null && agreements.length === 0) throw notFound();

  const raised = (from: string, currency: string) => {
    const to = increased(from, mode, value, currency);
    if (!decimal(to).lessThan(LIMIT)) throw invalid({ value: "errors.validation" });
    return { from, to };
  };
  const changes = agreements.flatMap((agreement) => {
    const base = increaseBase(agreement.prices, valid_from);
    return base === null ? [] : [{ agreement, ...raised(base, agreement.currency) }];
  });
  const movesPresets = asked.include_templates === true && scope.single === null;
  const found = movesPresets
    ? await query<Preset>(writes ? LOCK_PRESETS : LOOK_PRESETS, [organisation.id, scope.type, scope.template])
    : [];
  const presets = found.map((preset) => ({ preset, ...raised(presetBase(preset, valid_from), preset.currency) }));

  if (writes) {
    // Repeating an increase changes nothing and leaves no trace.
    const fresh = changes.filter(({ agreement, to }) => priceAt(agreement.prices, valid_from) !== to);
    storePrices(
      valid_from,
      fresh.map(({ agreement, from, to }) => ({ id: agreement.id, amount: to, increased_from: from })),
    );
    if (fresh.length > 0) enqueue(TOUCH, [organisation.id, fresh.map(({ agreement }) => agreement.id)]);
    trailEach(
      "subscription",
      "price_increased",
      fresh.map(({ agreement, from, to }) => ({ entityId: agreement.id, payload: { from, to, valid_from } })),
    );
    const moved = presets.filter(({ preset, to }) => preset.amount !== to);
    const [ids, amounts, bases] = [
      moved.map(({ preset }) => preset.id),
      moved.map(({ to }) => to),
      moved.map(({ from }) => from),
    ];
    if (moved.length > 0) enqueue(MOVE_PRESETS, [organisation.id, ids, amounts, bases, valid_from]);
  }
  return {
    valid_from,
    skipped: agreements.length - changes.length,
    subscriptions: changes.map(({ agreement, from, to }) => ({
      subscription_id: agreement.id,
      company_id: agreement.company_id,
      company_name: agreement.company_name,
      name: agreement.name,
      currency: agreement.currency,
      from,
      to,
    })),
    templates: presets.map(({ preset, from, to }) => ({
      subscription_template_id: preset.id,
      name: preset.name,
      currency: preset.currency,
      from,
      to,
    })),
  };
}

/** The scope that a body names, if any. @throws 403, then 400 `fields.scope` */
function scopeOf(asked: IncreaseRequest): { type: string | null; single: string | null; template: string | null } {
  const scope = {
    type: asked.subscription_type_id ?? null,
    single: asked.subscription_id ?? null,
    template: asked.subscription_template_id ?? null,
  };
  // Every path that changes a preset's amount requires the permission to manage presets.
  if ((scope.template !== null || asked.include_templates) && !mayCaller("subscriptions.template.manage")) throw forbidden();
  if (Object.values(scope).filter((id) => id !== null).length > 1) throw badRequest({ scope: "errors.validation" });
  return scope;
}
