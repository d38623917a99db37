import { readFileSync } from "node:fs";
import path from "node:path";
import { columns, type RowOf } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { readCsv } from "../../../core/impex/files/csv.ts";
import { importSheet } from "../../../core/impex/import.ts";
import type { RequestStore } from "../../../core/request/context.ts";
import { SYSTEM, systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { changeCompany, createCompany } from "../companies/company-writes.ts";
import { createContact } from "../contacts/contact-writes.ts";
import { Company } from "../models.ts";
import { contact } from "../sheets/contact.impex.ts";

const option = (value: string, nl: string, en: string) => ({ value, label_i18n: { nl, en } });
/** Custom fields: kind of record, key, type, labels, options. */
const FIELDS = [
  [
    "company",
    "sector",
    "select",
    { nl: "Branche", en: "Sector" },
    [option("retail", "Winkel", "Retail"), option("services", "Dienstverlening", "Services"), option("care", "Zorg", "Care")],
  ],
  ["company", "client_since", "date", { nl: "Klant sinds", en: "Client since" }, []],
  ["company", "hours_per_month", "number", { nl: "Uren per maand", en: "Hours per month" }, []],
  ["company", "newsletter", "boolean", { nl: "Nieuwsbrief", en: "Newsletter" }, []],
  [
    "contact",
    "preferred_channel",
    "select",
    { nl: "Voorkeur", en: "Preferred channel" },
    [option("phone", "Bellen", "Phone"), option("email", "Mailen", "E-mail"), option("visit", "Langskomen", "Visit")],
  ],
  ["contact", "birthday", "date", { nl: "Verjaardag", en: "Birthday" }, []],
] as const;
const TYPES = [
  ["decision_maker", { nl: "Beslisser", en: "Decision maker" }],
  ["billing", { nl: "Facturatie", en: "Billing" }],
  ["technical", { nl: "Techniek", en: "Technical" }],
  ["content", { nl: "Inhoud", en: "Content" }],
] as const;

const ADD_FIELD = statement(`insert into custom_field_definitions
  (id, organisation_id, entity_type, key, data_type, label_i18n, options_json, position) values ($1, $2, $3, $4, $5, $6, $7, $8)`);
const ADD_TYPE = statement(
  "insert into contact_types (id, organisation_id, key, label_i18n, position) values ($1, $2, $3, $4, $5)",
);
const MOVED = statement(`select ${columns(Company)} from companies where organisation_id = $1 order by client_number limit 12`);

/** The first company's contact; the others come from the sheet. */
const DIRECTOR = {
  first_name: "Egbert",
  last_name: "Oosterhuis",
  job_title: "Directeur",
  email: "egbert.oosterhuis@bakkerij-de-korenaar.example",
  phone: "+31612345041",
};

const sheetOf = (name: string) => readCsv(readFileSync(path.join(import.meta.dirname, name)));

function addDefinitions({ id: organisationId }: Organisation, ids: (kind: string) => string): void {
  for (const [index, [entityType, key, type, label, options]] of FIELDS.entries()) {
    const id = ids("custom-fields/definitions");
    enqueue(ADD_FIELD, [id, organisationId, entityType, key, type, JSON.stringify(label), JSON.stringify(options), index]);
    trail("custom_field", id, "created", { entity_type: entityType, key });
  }
  for (const [index, [key, label]] of TYPES.entries())
    enqueue(ADD_TYPE, [ids("contacts/types"), organisationId, key, JSON.stringify(label), index]);
}

/** Custom values of the company in a row; some companies lack some values. */
function customOf(index: number): Record<string, unknown> {
  const since = `${2013 + (index % 12)}-${String(1 + ((index * 5) % 12)).padStart(2, "0")}-${String(1 + ((index * 7) % 28)).padStart(2, "0")}`;
  return {
    sector: ["retail", "services", "care"][index % 3],
    ...(index % 4 > 0 && { client_since: since }),
    ...(index % 3 > 0 && { hours_per_month: 2.5 * (1 + (index % 8)) }),
    newsletter: index % 2 === 0,
  };
}

type Colleague = DemoOrganisation["colleagues"][number];

const actedBy = (store: RequestStore, { id, name }: Colleague): void => {
  store.principal = { ...SYSTEM, accountId: id, name };
};

/**
 * Adds the demo organisation's clients, in one transaction and by the API's rules: companies with a responsible person, contacts with
 * links, custom fields with values, and a trail of the colleagues' changes.
 */
export async function fillClients({ organisation, colleagues }: DemoOrganisation): Promise<void> {
  const colleague = (index: number) => colleagues[index % colleagues.length] as Colleague;
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async (store) => {
      const ids = demoIds(organisation);
      addDefinitions(organisation, ids);
      const first = ids("companies");
      const { headers, rows } = sheetOf("demo-companies.csv");
      let index = 0;
      for await (const { cells } of rows) {
        const filled = headers.flatMap((header, column) => (cells[column] ? [[header, cells[column]] as const] : []));
        actedBy(store, colleague(index));
        const company = {
          ...(Object.fromEntries(filled) as { name: string }),
          responsible_user_id: colleague(index).id,
          custom: customOf(index),
        };
        await createCompany(company, undefined, index === 0 ? first : ids("companies"));
        index += 1;
      }
      actedBy(store, colleague(0));
      await createContact({ ...DIRECTOR, company_ids: [first] }, false, ids("contacts"));
      const { errors } = await importSheet(contact, sheetOf("demo-contacts.csv"), { dryRun: false });
      if (errors[0]) throw new Error(`demo-contacts.csv, row ${errors[0].row}, ${errors[0].column}: ${errors[0].error}`);
      for (const [index, row] of (await query<RowOf<typeof Company>>(MOVED, [organisation.id])).entries()) {
        actedBy(store, colleague(index + 1));
        const started = row.status === "lead" ? ({ status: "onboarding" } as const) : {};
        await changeCompany(row, { ...started, responsible_user_id: colleague(index + 1).id });
      }
    },
  );
}
