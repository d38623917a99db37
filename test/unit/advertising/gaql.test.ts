import { expect } from "chai";
import { isApiError } from "../../../core/errors/errors.ts";
import { executableQuery } from "../../../integrations/advertising/query/gaql.ts";
import { rounds } from "../../support/tier.ts";
import { naiveQuery } from "./gaql-naive.ts";
import { generatedQuery } from "./gaql-queries.ts";

/** The result of a query: its text, or the message of its refusal. */
function outcome(query: string, requested: number | null = null): string {
  try {
    return executableQuery(query, requested).text;
  } catch (error) {
    if (!isApiError(error)) throw error;
    expect(error.code).to.equal(422);
    return error.message.replace("errors.ads_platform_query_", "");
  }
}

const RANGE = "segments.date BETWEEN '2026-07-01' AND '2026-07-31'";

describe("a query before any call", () => {
  const refused: [what: string, query: string, fault: string][] = [
    ["of blanks", " \n\t", "empty"],
    ["of semicolons", ";; ;", "empty"],
    ["with an open single quote", "SELECT campaign.id FROM campaign WHERE campaign.name = 'x", "unterminated_string"],
    ["with an open double quote", "SELECT campaign.id FROM campaign WHERE campaign.name = \"x'", "unterminated_string"],
    ["whose closing quote is escaped", "SELECT campaign.id FROM campaign WHERE campaign.name = 'x\\'", "unterminated_string"],
    [
      "that ends with a backslash in quotes",
      "SELECT campaign.id FROM campaign WHERE campaign.name = 'x\\",
      "unterminated_string",
    ],
    ["with a second statement", "SELECT campaign.id FROM campaign; SELECT asset.id FROM asset", "multiple_statements"],
    ["with a semicolon in the middle", "SELECT campaign.id; FROM campaign", "multiple_statements"],
    ["with two SELECT", "SELECT SELECT campaign.id FROM campaign", "repeated_clause"],
    ["with two FROM", "SELECT campaign.id FROM campaign FROM asset", "repeated_clause"],
    ["with two WHERE", "SELECT campaign.id FROM campaign WHERE campaign.id = 1 where campaign.id = 2", "repeated_clause"],
    ["with two ORDER BY", "SELECT campaign.id FROM campaign ORDER BY campaign.id ORDER  BY campaign.name", "repeated_clause"],
    ["with two LIMIT", "SELECT campaign.id FROM campaign LIMIT 5 LIMIT 6", "repeated_clause"],
    ["with two PARAMETERS", "SELECT campaign.id FROM campaign PARAMETERS a=true PARAMETERS b=true", "repeated_clause"],
    ["without SELECT", "FROM campaign", "shape"],
    ["without FROM", "SELECT campaign.id", "shape"],
    ["with FROM before SELECT", "FROM campaign SELECT campaign.id", "shape"],
    ["with a word before SELECT", "EXPLAIN SELECT campaign.id FROM campaign", "shape"],
    ["with ORDER BY before WHERE", "SELECT campaign.id FROM campaign ORDER BY campaign.id WHERE campaign.id = 1", "shape"],
    ["with LIMIT before WHERE", "SELECT campaign.id FROM campaign LIMIT 5 WHERE campaign.id = 1", "shape"],
    ["that selects nothing", "SELECT FROM campaign", "shape"],
    ["with an empty WHERE", "SELECT campaign.id FROM campaign WHERE LIMIT 5", "shape"],
    ["with no resource", "SELECT campaign.id FROM", "shape"],
    ["with two resources", "SELECT campaign.id FROM campaign, asset", "shape"],
    ["with a resource in quotes", "SELECT campaign.id FROM 'campaign'", "shape"],
    ["with a field in place of the resource", "SELECT campaign.id FROM campaign.id", "shape"],
    ["with a limit in words", "SELECT campaign.id FROM campaign LIMIT ten", "limit"],
    ["with a negative limit", "SELECT campaign.id FROM campaign LIMIT -1", "limit"],
    ["with an offset", "SELECT campaign.id FROM campaign LIMIT 10 OFFSET 5", "limit"],
    ["with an empty limit", "SELECT campaign.id FROM campaign LIMIT", "limit"],
    ["with a limit in quotes", "SELECT campaign.id FROM campaign LIMIT '5'", "limit"],
    ["of another resource", "SELECT billing_setup.id FROM billing_setup", "resource_not_allowed"],
    ["with INTO", "SELECT campaign.id INTO x FROM campaign", "shape"],
    ["with a call in place of a field", "SELECT COUNT(campaign.id) FROM campaign", "shape"],
    ["with no comma between fields", "SELECT campaign.id campaign.name FROM campaign", "shape"],
    ["that selects of another resource", "SELECT campaign.id, billing_setup.id FROM campaign", "resource_not_allowed"],
    ["with a condition on another resource", "SELECT campaign.id FROM campaign WHERE Invoice.id = 1", "resource_not_allowed"],
    ["sorted by another resource", "SELECT campaign.id FROM campaign ORDER BY invoice.id DESC", "resource_not_allowed"],
    [
      "of metrics over 401 days",
      "SELECT metrics.clicks FROM campaign WHERE segments.date BETWEEN '2025-01-01' AND '2026-02-05'",
      "needs_date_bound",
    ],
    [
      "of metrics over 401 days in two conditions",
      "SELECT metrics.clicks FROM campaign WHERE segments.date >= '2025-01-01' AND segments.date <= '2026-02-05'",
      "needs_date_bound",
    ],
    [
      "of metrics between words",
      "SELECT metrics.clicks FROM campaign WHERE segments.year BETWEEN 2020 AND 2026",
      "needs_date_bound",
    ],
    ["of a resource in capitals", "SELECT campaign.id FROM CAMPAIGN", "resource_not_allowed"],
    ["of metrics without a date", "SELECT campaign.id, metrics.clicks FROM campaign", "needs_date_bound"],
    ["of metrics in capitals", "SELECT METRICS.clicks FROM campaign", "needs_date_bound"],
    [
      "of metrics with a date in a string",
      `SELECT metrics.clicks FROM campaign WHERE campaign.name = "${RANGE}"`,
      "needs_date_bound",
    ],
    ["of metrics from a day on", "SELECT metrics.clicks FROM campaign WHERE segments.date >= '2026-07-01'", "needs_date_bound"],
    ["of metrics up to a day", "SELECT metrics.clicks FROM campaign WHERE segments.date < '2026-07-01'", "needs_date_bound"],
    [
      "of metrics with both ends on two fields",
      "SELECT metrics.clicks FROM campaign WHERE segments.date >= '2026-07-01' AND segments.month <= '2026-07-01'",
      "needs_date_bound",
    ],
    [
      "of metrics on all days but one",
      "SELECT metrics.clicks FROM campaign WHERE segments.date != '2026-07-01'",
      "needs_date_bound",
    ],
    ["of metrics with a date that is selected alone", "SELECT segments.date, metrics.clicks FROM campaign", "needs_date_bound"],
    [
      "of metrics with another field between two values",
      "SELECT metrics.clicks FROM campaign WHERE campaign.id BETWEEN 1 AND 2",
      "needs_date_bound",
    ],
  ];
  for (const [what, query, fault] of refused) it(`${what} is refused`, () => expect(outcome(query)).to.equal(fault));

  const codes: [query: string, code: string, fields: object | undefined][] = [
    ["", "ads_platform_query_invalid", undefined],
    [
      "SELECT invoice.id FROM invoice",
      "ads_platform_query_resource",
      { query: "errors.ads_platform_query_resource_not_allowed" },
    ],
    [
      "SELECT metrics.clicks FROM campaign",
      "ads_platform_query_unbounded",
      { query: "errors.ads_platform_query_needs_date_bound" },
    ],
  ];
  for (const [query, type, fields] of codes)
    it(`'${query}' is answered ${type}`, () =>
      expect(() => executableQuery(query, null))
        .to.throw()
        .that.deep.includes({ type, data: fields ? { fields } : {} }));

  const bounds = [
    RANGE,
    "segments.date BETWEEN '2025-01-01' AND '2026-02-04'",
    "segments.date >= '2020-01-01' AND segments.date <= '2026-02-04' AND segments.date >= '2025-01-01'",
    "segments.date DURING LAST_7_DAYS",
    "segments.date = '2026-07-01'",
    "segments.date >= '2026-07-01' AND segments.date <= '2026-07-31'",
    "segments.date>'2026-07-01'AND segments.date<'2026-07-31'",
    "campaign.id = 1 and segments.week between '2026-07-06' and '2026-07-13'",
    "segments.month = '2026-07-01'",
    "segments.quarter = '2026-07-01'",
    "segments.year = 2026",
    "change_event.change_date_time BETWEEN '2026-07-01' AND '2026-07-31'",
    "change_status.last_change_date_time > '2026-07-01' AND change_status.last_change_date_time < '2026-07-31'",
  ];
  for (const where of bounds)
    it(`may select metrics where ${where}`, () =>
      expect(outcome(`SELECT metrics.clicks FROM campaign WHERE ${where}`)).to.match(/ LIMIT 200$/));

  const sent: [what: string, query: string, requested: number | null, text: string, isClamped: boolean][] = [
    ["gets a limit", "SELECT campaign.id FROM campaign", null, "SELECT campaign.id FROM campaign LIMIT 200", false],
    ["gets the caller's limit", "SELECT campaign.id FROM campaign", 7, "SELECT campaign.id FROM campaign LIMIT 7", false],
    [
      "gets at most 2000 rows of what a caller wants",
      "SELECT campaign.id FROM campaign",
      9000,
      "SELECT campaign.id FROM campaign LIMIT 2000",
      false,
    ],
    [
      "keeps its own limit",
      "SELECT campaign.id FROM campaign LIMIT 1500",
      null,
      "SELECT campaign.id FROM campaign LIMIT 1500",
      false,
    ],
    [
      "keeps its own limit below the caller's",
      "SELECT campaign.id FROM campaign LIMIT 5",
      7,
      "SELECT campaign.id FROM campaign LIMIT 5",
      false,
    ],
    [
      "is lowered to the caller's limit",
      "SELECT campaign.id FROM campaign LIMIT 500",
      7,
      "SELECT campaign.id FROM campaign LIMIT 7",
      true,
    ],
    [
      "is lowered to 2000",
      "SELECT campaign.id FROM campaign LIMIT 99999999999999999999",
      null,
      "SELECT campaign.id FROM campaign LIMIT 2000",
      true,
    ],
    [
      "of limit 0 has none",
      "SELECT campaign.id FROM campaign LIMIT 0",
      null,
      "SELECT campaign.id FROM campaign LIMIT 200",
      false,
    ],
    [
      "of limit 0 has the caller's",
      "SELECT campaign.id FROM campaign LIMIT 00",
      300,
      "SELECT campaign.id FROM campaign LIMIT 300",
      false,
    ],
    [
      "has its limit before its parameters",
      "SELECT campaign.id FROM campaign PARAMETERS include_drafts=true",
      null,
      "SELECT campaign.id FROM campaign LIMIT 200 PARAMETERS include_drafts=true",
      false,
    ],
    [
      "may name its limit after its parameters",
      "SELECT campaign.id FROM campaign PARAMETERS include_drafts=true LIMIT 3",
      null,
      "SELECT campaign.id FROM campaign LIMIT 3 PARAMETERS include_drafts=true",
      false,
    ],
    [
      "loses the semicolons at its end",
      "SELECT campaign.id FROM campaign ; ;\n",
      null,
      "SELECT campaign.id FROM campaign LIMIT 200",
      false,
    ],
    [
      "has its blanks collapsed outside of quotes alone",
      "  SELECT campaign.id,\n\tcampaign.name FROM campaign WHERE campaign.name = 'a  b\n' ORDER\n BY  campaign.name DESC",
      null,
      "SELECT campaign.id, campaign.name FROM campaign WHERE campaign.name = 'a  b\n' ORDER BY campaign.name DESC LIMIT 200",
      false,
    ],
    [
      "keeps its keywords as they are written",
      "select campaign.id from campaign where campaign.id = 1",
      null,
      "select campaign.id from campaign where campaign.id = 1 LIMIT 200",
      false,
    ],
    [
      "is not judged by the text in quotes",
      String.raw`SELECT campaign.id FROM campaign WHERE campaign.name IN ('; FROM x LIMIT 1', "it's", 'a\'b; WHERE', "\\")`,
      null,
      String.raw`SELECT campaign.id FROM campaign WHERE campaign.name IN ('; FROM x LIMIT 1', "it's", 'a\'b; WHERE', "\\") LIMIT 200`,
      false,
    ],
    [
      "is not judged by fields that are called as a clause is",
      "SELECT campaign.limit, asset.where FROM campaign",
      null,
      "SELECT campaign.limit, asset.where FROM campaign LIMIT 200",
      false,
    ],
  ];
  for (const [what, query, requested, text, isClamped] of sent)
    it(what, () => expect(executableQuery(query, requested)).to.deep.include({ text, isClamped, resource: "campaign" }));

  const TEXTS = rounds(1000, 5000);
  it(`comes to the same by a second parser, for ${TEXTS} generated texts`, () => {
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= TEXTS; seed += 1) {
      const { query, requested } = generatedQuery(seed);
      const found = outcome(query, requested);
      expect(found, `seed ${seed}: ${JSON.stringify(query)} limit ${requested}`).to.equal(naiveQuery(query, requested));
      const kind = found.includes(" ") ? "sent" : found;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    const kinds = [
      "limit",
      "multiple_statements",
      "needs_date_bound",
      "repeated_clause",
      "resource_not_allowed",
      "sent",
      "shape",
    ];
    expect([...seen.keys()]).to.include.members([...kinds, "unterminated_string"]);
    expect(Math.min(...kinds.map((kind) => seen.get(kind) ?? 0))).to.be.greaterThan((TEXTS / 5000) * 40);
  });
});
