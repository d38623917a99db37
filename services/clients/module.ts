import { defineModule } from "../../core/declare/module.ts";
import { SetCompanyStatusConfig } from "./companies/company-automation-configs.ts";
import { companyEvents, contactEvents } from "./events.ts";
import { companiesFieldTexts, contactsFieldTexts } from "./key-texts.ts";

declare module "../../core/custom-fields/values.ts" {
  interface CustomRecords {
    company: true;
    contact: true;
  }
}

const companies = defineModule({
  key: "companies",
  kind: "module",
  permanent: true,
  permissions: {
    "companies.company.read": { position: 10, grants: ["admin", "member", "client"] },
    "companies.company.write": { position: 20, grants: ["admin"] },
    "companies.company.delete": { position: 30, grants: ["admin"] },
    "companies.group.manage": { position: 40, grants: ["admin"] },
    "companies.settings.manage": { position: 50, grants: ["admin"] },
  },
  errors: {
    308: ["moved"],
    400: ["invalid_assignee"],
    409: [
      "conflict errors.companies.client_number_exhausted",
      "conflict errors.companies.client_number_taken",
      "conflict errors.companies.has_issued_invoices",
    ],
    422: ["validation errors.inactive_member", "validation errors.merge_with_itself"],
  },
  errorTexts: {
    moved: [
      "The record was merged into another, which the caller sees.",
      "Read the address of `Location`, or the id in `details.id`, and keep that one.",
    ],
    "validation errors.merge_with_itself": ["A merge names the same record twice.", "Name the duplicate in `from`."],
    "validation errors.inactive_member": [
      "The request hands work to a colleague who is deactivated.",
      "Name an active colleague, or reactivate that one first.",
    ],
    "conflict errors.companies.client_number_taken": [
      "Another client has this client number.",
      "Send another number, or leave it out to get the next one.",
    ],
    "conflict errors.companies.has_issued_invoices": [
      "The client has an issued invoice or a payment and cannot be deleted.",
      "Archive the client instead.",
    ],
    invalid_assignee: [
      "An assignee is not a member of the organisation, or is a client login where only colleagues can be assigned.",
      "Send the account ids of colleagues.",
    ],
    "conflict errors.companies.client_number_exhausted": [
      "The next 1,000 client numbers of the sequence are in use, or the next one exceeds 40 characters.",
      "Set a later `client_number_next_seq` or a shorter `client_number_format` in the settings of client numbers.",
    ],
  },
  fieldTexts: companiesFieldTexts,
  events: companyEvents,
  automation: {
    entities: { company: async () => (await import("./companies/company-facts.ts")).companyFacts },
    triggers: {
      "company.created": { position: 40, payload: ["company_id", "status", "title"] },
      "company.status_changed": {
        position: 50,
        payload: ["company_id", "status", "previous_status", "from", "to", "title"],
      },
    },
    actions: {
      "company.set_status": {
        position: 60,
        config: SetCompanyStatusConfig,
        call: "companies.automation.setStatus",
        permission: "companies.company.write",
      },
    },
  },
  hookPoints: ["company.status_entered", "company.deleting"],
  records: {
    company: {
      copied: { list: "companies.list", table: "companies" },
      seen: ["companies.get", "company_id"],
      readers: { permission: "companies.company.read" },
      client: { table: "companies", of: "t.id" },
      trail: true,
      changes: { logo_uploaded: ["logo_file_id"], logo_removed: ["logo_file_id"] },
      custom: true,
      files: "open",
      sheet: async () => (await import("./sheets/company.impex.ts")).company,
      bulk: {
        update: "companies.company.write",
        delete: "companies.company.delete",
        load: async () => (await import("./companies/company.bulk.ts")).companiesInBulk,
      },
    },
    company_group: {
      copied: { list: "companies.groups.list", table: "company_groups" },
      readers: { permission: "companies.group.manage" },
      client: null,
      trail: true,
    },
    company_logo: { seen: ["companies.get", "company_id"], files: "managed" },
  },
  demo: { position: 20, load: async () => (await import("./demo/demo-clients.ts")).fillClients },
  hooks: {
    "membership.invited": async () => (await import("./companies/invited-members.ts")).joinGroupsOfInviter,
    "membership.handing_over": async () => (await import("./companies/hand-over.ts")).handOverCompanies,
  },
  tables: [
    "companies",
    "company_assignees",
    "company_group_companies",
    "company_group_memberships",
    "company_groups",
    "company_settings",
    "record_aliases",
    "company_match_keys",
    "company_distinct_pairs",
  ],
  references: {
    "company_match_keys.company_id": { left: "a trigger keeps the keys of each client" },
    "company_distinct_pairs.one_id": { left: "pairs of the merged client go with it" },
    "company_distinct_pairs.other_id": { left: "pairs of the merged client go with it" },
    "company_assignees.company_id": { left: "the merge moves them with the star (clients §11.2)" },
    "company_group_companies.company_id": { left: "the merge moves them with the groups (clients §11.2)" },
    "record_aliases.old_id": { to: "any", left: "the id that is gone" },
  },
  shows: {
    companies: [
      "id",
      "name",
      "client_number",
      "status",
      "website",
      // Invoices and quotes copy their bill-to party from these.
      "legal_name",
      "address_line1",
      "house_number",
      "address_line2",
      "postal_code",
      "city",
      "country",
      "vat_number",
      "coc_number",
      "invoice_email",
    ],
    // Projects and tasks without their own roster inherit these.
    company_assignees: ["company_id", "account_id", "is_primary", "created_at", "position"],
  },
  tags: { companies: "Clients of the organisation." },
  parameters: { ":company_id": "The client", ":group_id": "The group of clients" },
});

const contacts = defineModule({
  key: "contacts",
  kind: "module",
  permissions: {
    "contacts.contact.read": { position: 10, grants: ["admin", "member", "client"] },
    "contacts.contact.write": { position: 20, grants: ["admin", "member"] },
    "contacts.contact.delete": { position: 30, grants: ["admin"] },
    "contacts.link.write": { position: 40, grants: ["admin", "member"] },
    "contacts.type.read": { position: 50, grants: ["admin", "member", "client"] },
    "contacts.type.manage": { position: 60, grants: ["admin"] },
  },
  errors: {
    403: ["forbidden errors.no_company_scope"],
    409: ["conflict errors.contact_email_exists", "conflict errors.contact_two_logins"],
  },
  errorTexts: {
    "conflict errors.contact_two_logins": [
      "Both contacts to merge have a login of the client portal.",
      "Remove one of the two logins first.",
    ],
    "conflict errors.contact_email_exists": ["Another contact has this e-mail address.", "Use that contact, or another address."],
    "forbidden errors.no_company_scope": [
      "A client login that sees no client tries to create a contact.",
      "Ask the organisation to link the login's own contact to a client.",
    ],
  },
  fieldTexts: contactsFieldTexts,
  events: contactEvents,
  automation: {
    entities: { contact: async () => (await import("./contacts/contact-facts.ts")).contactFacts },
    triggers: { "contact.created": { position: 160, payload: ["contact_id", "title"] } },
  },
  records: {
    contact_type: { copied: { list: "contacts.types.list", table: "contact_types", permission: "contacts.type.read" } },
    contact: {
      copied: { list: "contacts.list", table: "contacts" },
      seen: ["contacts.get", "contact_id"],
      readers: { permission: "contacts.contact.read" },
      client: "several",
      trail: true,
      changes: {},
      loses: [
        { field: "companies", to: "companies", table: "contact_links", column: "company_id", record: "contact_id" },
        { field: "companies", to: "contact_types", table: "contact_links", column: "contact_type_id", record: "contact_id" },
      ],
      custom: true,
      files: "open",
      sheet: async () => (await import("./sheets/contact.impex.ts")).contact,
      bulk: {
        update: "contacts.contact.write",
        delete: "contacts.contact.delete",
        load: async () => (await import("./contacts/contact.bulk.ts")).contactsInBulk,
      },
    },
  },
  hooks: {
    "portal.login_attached": async () => (await import("./contacts/portal-login.ts")).attachLogin,
  },
  tables: ["contact_links", "contact_types", "contacts", "contact_match_keys", "contact_distinct_pairs"],
  references: {
    "contact_match_keys.contact_id": { left: "a trigger keeps the keys of each contact" },
    "contact_distinct_pairs.one_id": { left: "pairs of the merged contact go with it" },
    "contact_distinct_pairs.other_id": { left: "pairs of the merged contact go with it" },
    "contact_links.company_id": { left: "the merge moves them with the primary contact (clients §11.2)" },
    "contact_links.contact_id": { left: "the merge moves them with the primary contact (clients §11.2)" },
  },
  shows: {
    contact_links: ["contact_id", "company_id", "is_primary", "created_at"],
    // Mail finds its contacts by all their addresses.
    contact_match_keys: ["kind", "key", "contact_id"],
    contacts: ["id", "account_id", "first_name", "last_name", "email", "email_key", "linked", "version"],
  },
  tags: { contacts: "People, and the companies they belong to." },
  parameters: {
    ":contact_id": "The contact",
    ":type_id": "The type of contact",
    contact_type_id: "Only contacts with this type; with `company_id`, on their link to that client",
  },
});

/** Reads the trail of records; each module writes its own lines. */
const activity = defineModule({
  key: "activity",
  kind: "core",
  permissions: { "activity.read": { position: 10, grants: ["admin", "member", "client"] } },
  tables: ["activity"],
  references: {
    "activity.entity_id": { kind: "entity_type", left: "lines of the trail never change: they stay readable under the old id" },
  },
  // Which records changed, when and by whom.
  shows: { activity: ["entity_type", "entity_id", "actor_account_id", "created_at"] },
  tags: { activity: "The trail of a record: who changed what, and when." },
});

export default [companies, contacts, activity];
