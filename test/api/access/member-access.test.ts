import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { narrowed } from "../../../core/declare/permissions.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { textsIn } from "../../support/source-texts.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** A sequence that is the same in every run. */
const drawer = (seed: number) => () => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};

interface Drawn {
  accountId: string;
  membershipId: string;
  roles: { key: string; is_system: boolean; permissions: string[] }[];
  groups: string[];
  contact: string | null;
  deactivated: boolean;
  disabled: boolean;
}

describe("member_access", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const org = () => tenant.organisation.id;
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

  /** Members with any roles, groups and contact there can be, stored as they are drawn. */
  async function draw(count: number): Promise<Drawn[]> {
    const random = drawer(20_261_125);
    const { sql } = service;
    await sql.query(
      `insert into roles (organisation_id, key, is_system, permissions, position, name_i18n) values
        ($1, 'extra', false, '{tasks.task.read,time.entry.write:own}', 9, '{}'), ($1, 'none', false, '{}', 9, '{}')`,
      [org()],
    );
    const roles = (
      await sql.query("select id, key, is_system, permissions from roles where organisation_id = $1 order by key", [org()])
    ).rows;
    const groups = ids(
      (
        await sql.query(
          "insert into company_groups (id, organisation_id, name) select gen_random_uuid(), $1, 'Group ' || n from generate_series(1, 3) n returning id",
          [org()],
        )
      ).rows,
    );
    const made: Drawn[] = [];
    for (let n = 0; n < count; n++) {
      const one = await sql.query(
        `with a as (insert into accounts (email, is_active) values ($2, $3) returning id, is_active)
         insert into memberships (organisation_id, account_id, deactivated_at) select $1, a.id, $4 from a returning id, account_id`,
        [org(), `drawn${n}@${tenant.host}`, random() > 0.2, random() > 0.8 ? new Date() : null],
      );
      const { id: membershipId, account_id: accountId } = one.rows[0];
      const held = roles.filter(() => random() > 0.7);
      const inside = groups.filter(() => random() > 0.7);
      for (const { id } of held)
        await sql.query("insert into membership_roles (organisation_id, membership_id, role_id) values ($1, $2, $3)", [
          org(),
          membershipId,
          id,
        ]);
      for (const group of inside)
        await sql.query("insert into company_group_memberships (organisation_id, membership_id, group_id) values ($1, $2, $3)", [
          org(),
          membershipId,
          group,
        ]);
      const contact =
        random() > 0.75
          ? (
              await sql.query(
                "insert into contacts (id, organisation_id, first_name, account_id) values (gen_random_uuid(), $1, $2, $3) returning id",
                [org(), `Drawn ${n}`, accountId],
              )
            ).rows[0].id
          : null;
      const { rows } = await sql.query(
        "select m.deactivated_at, a.is_active from memberships m join accounts a on a.id = m.account_id where m.id = $1",
        [membershipId],
      );
      const [{ deactivated_at, is_active }] = rows;
      made.push({
        ...{ accountId, membershipId, roles: held, groups: inside, contact },
        ...{ deactivated: deactivated_at !== null, disabled: !is_active },
      });
    }
    return made;
  }

  /** The rule in words of its own (conventions §1, §4.1 and §5). */
  function expected({ membershipId, accountId, roles, groups, contact, deactivated, disabled }: Drawn) {
    const grants = new Set(roles.flatMap(({ permissions }) => permissions));
    const isClient = contact !== null || roles.some(({ key, is_system }) => is_system && key === "client");
    const sources = [...groups, ...(contact === null ? [] : [contact])];
    const isRestricted = !grants.has("*") && (isClient || sources.length > 0);
    return {
      ...{ membership_id: membershipId, account_id: accountId, contact_id: contact, is_live: !deactivated && !disabled },
      ...{ grants: [...grants].toSorted(), is_client: isClient, selection: isRestricted ? sources.toSorted() : null },
    };
  }

  it("says of 60 drawn members what the rule says, and which hold a grant", async () => {
    const drawn = await draw(60);
    const { rows } = await service.sql.query(
      `select membership_id, account_id, contact_id, is_live, grants, is_client, selection from member_access
        where organisation_id = $1 and membership_id = any($2)`,
      [org(), drawn.map(({ membershipId }) => membershipId)],
    );
    const shown = new Map(
      rows.map(({ grants, selection, ...row }) => [
        row.membership_id,
        { ...row, grants: [...new Set(grants as string[])].toSorted(), selection: selection?.toSorted() ?? null },
      ]),
    );
    const kinds = new Set<string>();
    for (const one of drawn) {
      const wanted = expected(one);
      expect(shown.get(one.membershipId)).to.deep.equal(wanted);
      kinds.add(`${wanted.is_client} ${wanted.selection?.length ?? "all"} ${wanted.is_live}`);
    }
    expect(kinds.size, "kinds of members that were drawn").to.be.greaterThan(8);
    for (const wanted of [["*"], ["*", "tasks.task.read"], ["time.entry.write:own", "time.entry.write:any"], ["no.such.grant"]]) {
      const holding = await service.sql.query("select h from members_holding($1, $2) h where h = any($3)", [
        org(),
        wanted,
        drawn.map(({ membershipId }) => membershipId),
      ]);
      const holders = drawn.filter(({ roles }) =>
        roles.some(({ permissions }) => permissions.some((one) => wanted.includes(one))),
      );
      expect(new Set(holding.rows.map(({ h }) => h)), wanted.join()).to.deep.equal(
        new Set(holders.map(({ membershipId }) => membershipId)),
      );
    }
  });

  it("shows members of the bound organisation alone", async () => {
    const other = await service.tenant();
    const { rows } = await service.sql.query("select count(*)::int as n from member_access where organisation_id = $1", [
      other.organisation.id,
    ]);
    expect(rows[0].n).to.equal(1);
    const application = new pg.Client({ connectionString: service.database.application });
    await application.connect();
    try {
      await application.query("select set_config('app.organisation_id', $1, false)", [org()]);
      const bound = await application.query("select distinct organisation_id from member_access");
      expect(bound.rows).to.deep.equal([{ organisation_id: org() }]);
      const holding = "select h from members_holding($1, array['*']) h";
      expect((await application.query(holding, [org()])).rows).to.have.length.greaterThan(0);
      expect((await application.query(holding, [other.organisation.id])).rows).to.deep.equal([]);
      await application.query("select set_config('app.organisation_id', '', false)");
      expect((await application.query("select from member_access")).rows).to.deep.equal([]);
    } finally {
      await application.end();
    }
  });

  it("is the source of a caller's permissions, two roles with one grant included", async () => {
    const member: Caller = await tenant.member("member");
    await service.sql.query(
      `insert into membership_roles (organisation_id, membership_id, role_id)
       select $1, $2, id from roles where organisation_id = $1 and key = 'extra'`,
      [org(), member.membershipId],
    );
    const { body } = await member.get("/meta/me");
    expect(new Set(body.permissions).size).to.equal(body.permissions.length);
    expect(narrowed(body.permissions, body.permissions)).to.have.members(body.permissions);
  });
});

/** The sources of a copied rule, and the files that own one. */
const COPIES: readonly (readonly [what: string, pattern: RegExp, own: readonly string[]])[] = [
  ["who holds a grant", /\bpermissions\s*&&|any\(\w*\.?permissions\)/, []],
  ["what the roles of a member grant", /unnest\(\w*\.?permissions\)/, []],
  ["who is a client login", /\bis_system and \w*\.?key = 'client'/, ["services/access/members/member-projection.ts"]],
  [
    "what a selection is made of",
    /(?:from|join) company_group_memberships\b/,
    ["services/clients/companies/company-groups.service.ts", "services/clients/companies/invited-members.ts"],
  ],
  [
    "who is live",
    /is_active\b[^,]*\bdeactivated_at is null|deactivated_at is null[^,]*\bis_active\b/,
    // Accounts and memberships during a sign-in, or as their own module lists them.
    [
      "services/access/accounts/asked-mails.ts",
      "services/access/accounts/registration.service.ts",
      "services/access/members/member-projection.ts",
      "services/access/oauth/token-requests.ts",
      "services/access/second-factor/challenge.ts",
      "services/access/sign-in/auth.service.ts",
      "services/access/upkeep.service.ts",
    ],
  ],
];

describe("the rule of client visibility", () => {
  const sources = globSync("{core,mixins,services,integrations,operator}/**/*.ts", { cwd: ROOT })
    .filter((file) => !/(proofs[^/]*|lists-[a-z]+)\.ts$/.test(file))
    .map((file) => ({ file, texts: textsIn(readFileSync(path.join(ROOT, file), "utf8")) }));

  for (const [what, pattern, own] of COPIES)
    it(`is answered by member_access alone: ${what}`, () => {
      const found = sources.filter(({ texts }) => texts.some((text) => pattern.test(text))).map(({ file }) => file);
      expect(found.toSorted()).to.deep.equal([...own].toSorted());
    });
});
