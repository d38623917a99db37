import { expect } from "chai";
import type { Listing } from "../../../core/database/lists/list.ts";
import { everyListing } from "../../support/lists/every.ts";
import { type LargeOrganisation, largeOrganisation } from "../../support/lists/large.ts";

/** Rows changed since then are all of them. */
const SINCE = new Date(Date.UTC(2000, 0, 1)).toISOString();

describe("the order of every list", function () {
  this.timeout(120_000);
  let lists: Listing[];
  let organisation: LargeOrganisation;
  before(async () => {
    lists = await everyListing();
    organisation = await largeOrganisation({ large: 200, other: 20 });
  });
  after(() => organisation?.close());

  /** The first page of each list in its own order, and of recent changes. */
  const pages = async (): Promise<Record<string, unknown>> => {
    const given: Record<string, unknown> = {};
    for (const list of lists)
      for (const [what, updated_since] of [
        ["everything", undefined],
        ["what has changed", SINCE],
      ] as const) {
        const { items } = await organisation.run(list, { limit: 50, offset: 0, count: true, selection: null, updated_since });
        given[`${list.spec.table}: ${what}`] = items;
      }
    return given;
  };

  for (const ways of [["enable_nestloop"], ["enable_nestloop", "enable_hashjoin"], ["enable_nestloop", "enable_mergejoin"]])
    it(`is the same where PostgreSQL joins without ${ways.join(" and ")}`, async () => {
      const wanted = await pages();
      await organisation.without(ways, async () => void expect(await pages()).to.deep.equal(wanted));
    });
});
