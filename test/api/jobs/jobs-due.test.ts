import { expect } from "chai";
import { allDueRows } from "../../../migrations/run.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { sharedService, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

/** Tables of which an organisation has few rows, with the reason: reading all of them costs as much as an index. */
const FEW: Record<string, string> = {
  ads_accounts: "accounts that a person linked",
  edge_accounts: "accounts that a person linked",
  registrar_accounts: "accounts that a person linked",
  dunning_settings: "one for each organisation, and its primary key finds it",
  uptime_instances: "servers that a person linked",
  marketing_links: "sources that a person linked",
  workspace_connections: "one for each colleague",
  workspace_ended_grants: "removed within minutes",
  workspace_calendar_channels: "some for each colleague",
  automation_matches: "removed within seconds",
  report_profiles: "one for each client that gets reports",
  reports: "those under way have an index of their own",
};

/** Indexes that begin with the organisation: their second column, and the condition on the rows that they hold. */
const INDEXES = `select i.indrelid::regclass::text as table, a.attname as second, pg_get_expr(i.indpred, i.indrelid) as predicate
  from pg_index i join pg_attribute o on o.attrelid = i.indrelid and o.attnum = i.indkey[0] and o.attname = 'organisation_id'
  left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[1]`;

describe("the due rows of clocks", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("are each declared by a clock, and each function is there", async () => {
    const declared = (await allDueRows()).map(({ name }) => name).toSorted();
    const used = jobsOf(service.node.broker).definitions.flatMap(({ due }) => due ?? []);
    expect([...new Set(used)].toSorted()).to.deep.equal(declared);
    const { rows } = await service.sql.query("select proname from pg_proc where proname = any($1)", [declared]);
    expect(rows.length).to.equal(declared.length);
  });

  it("are found by an index for each organisation", async () => {
    const { rows: indexes } = await service.sql.query(INDEXES);
    const slow = (await allDueRows()).flatMap(({ rows }) =>
      rows.filter(([table, condition]) => {
        const columns = [...condition.matchAll(/\br\.(\w+)/g)].map(([, column]) => column as string);
        const serves = ({ second, predicate }: { second: string | null; predicate: string | null }) =>
          columns.includes(second ?? "") || columns.some((column) => predicate?.includes(column));
        return !(table in FEW) && !indexes.some((index) => index.table === table && serves(index));
      }),
    );
    expect(slow).to.deep.equal([]);
  });
});
