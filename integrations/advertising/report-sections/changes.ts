import { addDays, dateIn, earlier, type IsoDate, zoneOr } from "../../../core/calendar/calendar.ts";
import { LANGUAGE_TAGS } from "../../../core/calendar/in-words.ts";
import { DEFAULT_ZONE, type Locale } from "../../../core/config/defaults.ts";
import { queryAll } from "../../../core/database/query.ts";
import { cutRows, type GatherSection, type ReportColumn } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { DAYS_NOT_SYNCED } from "../mirror/trend.ts";
import { reportedAccounts } from "./reported-accounts.ts";

/** Most changes in a table (workspace-reporting §1.6). */
const MOST_CHANGES = 25;

const CHANGES =
  statement(`with names as materialized (select d.account_id, d.item, (array_agg(d.item_name order by d.day desc))[1] as name
    from ads_days d where d.organisation_id = $1 and d.account_id = any($2::uuid[]) and d.dimension = 'campaign'
      and d.day between $3::date and $4::date group by d.account_id, d.item)
  select to_char(c.changed_at, 'YYYY-MM-DD"T"HH24:MI:SS') as changed_at, c.account_id, c.operation, c.resource_type, c.user_email,
    c.client_type, c.changed_fields, coalesce(n.name, i.id) as campaign
  from ads_changes c
  cross join lateral (select substring(c.campaign from '/([0-9]+)$') as id) i
  left join names n on n.account_id = c.account_id and n.item = i.id
  where c.organisation_id = $1 and c.account_id = any($2::uuid[]) and c.changed_at >= $3::date and c.changed_at < $4::date + 1
  order by c.changed_at desc, c.resource_name, c.operation limit ${MOST_CHANGES}`);
const COUNTS = statement(`select count(*) filter (where changed_at >= $3::date and changed_at < $4::date + 1)::int as now,
    count(*) filter (where changed_at >= $5::date and changed_at < $6::date + 1)::int as before,
    count(*) filter (where changed_at < $6::date + 1) > 0 as has_before
  from ads_changes where organisation_id = $1 and account_id = any($2::uuid[]) and changed_at < greatest($4::date, $6::date) + 1`);

interface ChangeRow {
  changed_at: string;
  account_id: string;
  operation: string;
  resource_type: string | null;
  user_email: string | null;
  client_type: string | null;
  changed_fields: string | null;
  campaign: string | null;
}
interface Counts {
  now: number;
  before: number;
  has_before: boolean;
}

/** A table cell: its column and its text. */
type Cell = readonly [key: string, of: (change: ChangeRow) => string | null];
type Words = Readonly<Record<Locale, string>>;
const words = (nl: string, en: string): Words => ({ nl, en });

const OPERATIONS: Readonly<Record<string, Words>> = {
  CREATE: words("Toegevoegd", "Added"),
  UPDATE: words("Gewijzigd", "Changed"),
  REMOVE: words("Verwijderd", "Removed"),
};
const RESOURCES: Readonly<Record<string, Words>> = {
  AD: words("Advertentie", "Ad"),
  AD_GROUP: words("Advertentiegroep", "Ad group"),
  AD_GROUP_AD: words("Advertentie", "Ad"),
  AD_GROUP_ASSET: words("Onderdeel van advertentiegroep", "Ad group asset"),
  AD_GROUP_BID_MODIFIER: words("Bodaanpassing", "Bid adjustment"),
  AD_GROUP_CRITERION: words("Zoekwoord of doelgroep", "Keyword or audience"),
  ASSET: words("Onderdeel", "Asset"),
  ASSET_SET: words("Groep onderdelen", "Asset set"),
  ASSET_SET_ASSET: words("Onderdeel van groep", "Asset in a set"),
  CAMPAIGN: words("Campagne", "Campaign"),
  CAMPAIGN_ASSET: words("Onderdeel van campagne", "Campaign asset"),
  CAMPAIGN_ASSET_SET: words("Groep onderdelen van campagne", "Campaign asset set"),
  CAMPAIGN_BUDGET: words("Budget", "Budget"),
  CAMPAIGN_CRITERION: words("Campagne-instelling of uitsluiting", "Campaign targeting or exclusion"),
  CUSTOMER_ASSET: words("Onderdeel van account", "Account asset"),
};

/** Turns a provider name such as `SOME_NAME` or `some.fieldName` into plain words. */
const plain = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[._]+/g, " ")
    .toLowerCase();
const named = (names: Readonly<Record<string, Words>>, name: string, locale: Locale): string =>
  Object.hasOwn(names, name) ? (names[name] as Words)[locale] : plain(name);

const COLUMNS: Readonly<Record<string, Words>> = {
  changed_at: words("Tijdstip", "Time"),
  account: words("Account", "Account"),
  what: words("Wat", "What"),
  operation: words("Wijziging", "Change"),
  fields: words("Gewijzigde gegevens", "Changed fields"),
  campaign: words("Campagne", "Campaign"),
  by: words("Door", "By"),
};
const LABEL = words("Wijzigingen", "Changes");

const textColumns = (names: readonly string[]): ReportColumn[] =>
  names.map((key) => ({ key, label: COLUMNS[key] as Words, kind: "text" }));

/** The fields of a mask such as `status,cpcBidMicros`, in plain words. */
const namedFields = (mask: string | null): string | null =>
  mask === null || mask === ""
    ? null
    : mask
        .split(",")
        .map((field) => plain(field.trim()))
        .join(", ");

/**
 * The last day up to which every account's changes were read; a run reads up to the previous day.
 * @throws Error if that day is before the span
 */
function knownUntil(synced: readonly { last_synced_at: string; time_zone: string | null }[], start: IsoDate): IsoDate {
  const days = synced.map(({ last_synced_at, time_zone }) =>
    addDays(dateIn(zoneOr(time_zone, DEFAULT_ZONE), last_synced_at), -1),
  );
  const until = days.reduce(earlier);
  if (until < start) throw new Error(DAYS_NOT_SYNCED);
  return until;
}

/** The mirrored changes in a client's accounts, newest first; times are in the account's zone. */
export const gatherChanges: GatherSection = async (asked) => {
  const { span, compared, locale } = asked;
  const { accounts } = await reportedAccounts(asked);
  const synced = accounts.flatMap((account) =>
    account.last_synced_at === null ? [] : [{ ...account, last_synced_at: account.last_synced_at }],
  );
  if (synced.length === 0) return null;
  const until = knownUntil(synced, span.start);
  const place = [request().organisation.id, synced.map(({ id }) => id), span.start, span.end];
  const [changes, [counts]] = (await queryAll(
    [CHANGES, place],
    [COUNTS, [...place, compared.start, compared.end]],
  )) as unknown as [ChangeRow[], [Counts]];
  if (counts.now === 0 && counts.before === 0) return null;
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" });
  const names = new Map(synced.map(({ id, descriptive_name }) => [id, descriptive_name]));
  const account: Cell[] = synced.length > 1 ? [["account", ({ account_id }) => names.get(account_id) ?? null]] : [];
  const cells: Cell[] = [
    ["changed_at", ({ changed_at }) => time.format(new Date(`${changed_at}Z`))],
    ...account,
    ["what", ({ resource_type }) => (resource_type === null ? null : named(RESOURCES, resource_type, locale))],
    ["operation", ({ operation }) => named(OPERATIONS, operation, locale)],
    ["fields", ({ changed_fields }) => namedFields(changed_fields)],
    ["campaign", ({ campaign }) => campaign],
    ["by", ({ user_email, client_type }) => user_email ?? (client_type === null ? null : plain(client_type))],
  ];
  const table = {
    columns: textColumns(cells.map(([key]) => key)),
    rows: changes.map((change) => cells.map(([, of]) => of(change))),
    ...cutRows(changes.length, counts.now),
  };
  return {
    // Without an older change, nothing was mirrored yet in that period.
    totals: [
      { key: "changes", label: LABEL, kind: "count", value: counts.now, before: counts.has_before ? counts.before : null },
    ],
    ...(changes.length > 0 && { table }),
    final_until: until < span.end ? until : null,
  };
};
