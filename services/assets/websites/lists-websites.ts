import type { DefineReferences } from "../../../test/support/lists/answers.ts";

/**
 * Expected results of the lists of hosting and of websites, which belong to existing domains. The client and hosting in their filters have
 * the id of the owner's account.
 */
export const websiteReferences: DefineReferences = (tools) => {
  const { odd, words, long, beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  const terms = [..."alfa,gamma,delta,epsilon,verweg,nergens,é,qz,%,_,\\".split(","), ...odd.slice(2, 6)];
  const byName = `${text("t.name")}, t.id`;
  const served = (membership: string) => `(h.company_id is null or h.company_id in (${companiesOf(membership)}))`;
  return [
    {
      path: "/hosting",
      table: "hostings",
      async fill(sql, organisation, { owner }, rows, seeded) {
        const { random, pick } = seeded;
        const companies = await companyIds(sql, organisation);
        const made = Array.from({ length: rows }, (_, n) => ({
          // The index behind the sort by name cannot hold longer entries.
          name: `${beginning(seeded)} ${words(seeded)}${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 600) : ""}`,
          company_id: random() < 0.2 ? null : random() < 0.05 ? owner.accountId : pick(companies),
          ip_address: random() < 0.7 ? `10.${n % 5}.0.${n % 7}` : null,
          created_at: creation(seeded),
          updated_at: moment(seeded),
        }));
        const types = "name text, company_id uuid, ip_address text, created_at timestamptz, updated_at timestamptz";
        await insert(sql, "hostings", types, made, organisation);
        await sql.query("update hostings set id = $2 where id = (select id from hostings where organisation_id = $1 limit 1)", [
          organisation,
          owner.accountId,
        ]);
      },
      fields: ["t.name", "coalesce(t.ip_address, '')"],
      terms: [...terms, "10.3"],
      orders: () => ({
        ...both({ ip_address: text("t.ip_address"), created_at: "t.created_at", updated_at: "t.updated_at" }, byName, [
          "ip_address",
        ]),
        name: byName,
        "-name": `${text("t.name")} desc, t.id desc`,
      }),
      filters: ({ owner }) => [[`&company_id=${owner.accountId}`, `t.company_id = '${owner.accountId}'`]],
      visible: (membership) => `(t.company_id is null or t.company_id in (${companiesOf(membership)}))`,
    },
    {
      path: "/websites",
      table: "websites",
      async fill(sql, organisation, { owner }, _rows, seeded) {
        const { random, pick } = seeded;
        const { rows: domains } = await sql.query<{ id: string; company_id: string; search_text: string }>(
          "select id, company_id, search_text from domains where organisation_id = $1 order by id",
          [organisation],
        );
        const { rows: hostings } = await sql.query<{ id: string }>(
          "select id from hostings where organisation_id = $1 order by id <> $2, id limit 400",
          [organisation, owner.accountId],
        );
        const made = domains.map(({ id, company_id, search_text }) => ({
          domain_id: id,
          company_id,
          search_text,
          root: random() < 0.5,
          hosting_id: random() < 0.6 ? pick(hostings).id : null,
          uptime_enabled: random() < 0.3,
          created_at: creation(seeded),
          updated_at: moment(seeded),
        }));
        const types =
          "domain_id uuid, company_id uuid, search_text text, root boolean, hosting_id uuid, uptime_enabled boolean, created_at timestamptz, updated_at timestamptz";
        await insert(sql, "websites", types, made, organisation);
      },
      fields: [
        "(select d.label || ' ' || d.name from domains d where d.organisation_id = t.organisation_id and d.id = t.domain_id)",
      ],
      terms,
      orders: (membership) => ({
        ...both(
          {
            name: text("(select d.label from domains d where d.organisation_id = t.organisation_id and d.id = t.domain_id)"),
            company:
              text(`(select c.name from domains d join companies c on c.organisation_id = d.organisation_id and c.id = d.company_id
              where d.organisation_id = t.organisation_id and d.id = t.domain_id)`),
            hosting: text(`(select h.name from hostings h where h.organisation_id = t.organisation_id and h.id = t.hosting_id
              ${membership ? `and ${served(membership)}` : ""})`),
            uptime: "t.uptime_enabled",
            updated_at: "t.updated_at",
          },
          "t.created_at desc, t.id",
          ["hosting"],
        ),
        created_at: "t.created_at, t.id",
        "-created_at": "t.created_at desc, t.id desc",
      }),
      filters: ({ owner }) => [
        ["&uptime_enabled=true", "t.uptime_enabled"],
        ["&uptime_enabled=false", "not t.uptime_enabled"],
        [`&hosting_id=${owner.accountId}`, `t.hosting_id = '${owner.accountId}'`],
        [
          `&company_id=${owner.accountId}`,
          `exists (select 1 from domains d where d.id = t.domain_id and d.company_id = '${owner.accountId}')`,
        ],
      ],
      visible: (membership) =>
        `exists (select 1 from domains d where d.id = t.domain_id and d.company_id in (${companiesOf(membership)}))`,
    },
  ];
};
