import { listQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { jsonArray } from "../../../core/database/projection.ts";
import { queryAll } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { request } from "../../../core/request/context.ts";
import { page } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { mayRead } from "../../../mixins/contributions.ts";
import { resource } from "../../../mixins/resource.ts";
import { readOrRefer } from "../aliases/aliases.ts";
import { Contact } from "../models.ts";
import { contactListing, contactOfCompanyProjection, contactProjection } from "./contact.list.ts";
import { contactFilters, contactQuery, contactRows, isNarrowClient } from "./contact-rows.ts";
import { ContactCreate, ContactRead, ContactUpdate } from "./contact-schemas.ts";
import { changeContact, createContact, removeContact } from "./contact-writes.ts";

const LINKED = jsonArray(
  contactOfCompanyProjection.rows(
    `(select ${columns(Contact, "c")}, l.is_primary from contact_links l
      join contacts c on c.organisation_id = l.organisation_id and c.id = l.contact_id
     where l.organisation_id = $1 and l.company_id = $3 order by l.is_primary desc, l.created_at, c.id)`,
    "$2::uuid[]",
  ),
);
const CANDIDATES = jsonArray(
  contactProjection.rows(
    `(select ${columns(Contact, "c")} from contacts c where c.organisation_id = $1 and not c.linked and not $4
  order by c.first_name collate kantoor_text, c.last_name collate kantoor_text, c.id limit 20)`,
    "$2::uuid[]",
  ),
);
const PANEL = statement(`select ${LINKED} as contacts, ${CANDIDATES} as candidates`);

export default resource("contacts", {
  model: Contact,
  actions: {
    list: action({
      rest: "GET /contacts",
      summary: "List contacts",
      permission: "contacts.contact.read",
      query: {
        ...listQuery(contactListing.spec.sorts),
        ...contactQuery,
      },
      returns: page(ContactRead),
      errors: ["not_found"],
      tool: {
        name: "find_contact",
        description: "Finds contact persons by a part of their name or e-mail address, of one client or of all.",
        inArea: true,
        takes: ["q", "company_id", "limit", "offset"],
      },
      handler: async (ctx) => contactRows().page(ctx.params, await contactFilters(ctx.params)),
    }),

    create: action({
      rest: "POST /contacts",
      summary: "Create a contact",
      description: "With companies it also needs contacts.link.write.",
      permission: "contacts.contact.write",
      body: ContactCreate,
      returns: ContactRead,
      errors: ["conflict", "not_found"],
      tool: {
        name: "create_contact",
        description: "Creates a contact person, also of clients.",
        inArea: true,
        takes: ["first_name", "last_name", "job_title", "email", "phone", "company_ids"],
      },
      async handler(ctx) {
        return contactRows().answerWith(await createContact(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /contacts/:contact_id",
      summary: "Read one contact",
      permission: "contacts.contact.read",
      returns: ContactRead,
      errors: ["moved"],
      handler: (ctx) => readOrRefer("contact", ctx.params.contact_id, (id) => contactRows().one(id)),
    }),

    update: action({
      rest: "PATCH /contacts/:contact_id",
      summary: "Change a contact; its links have endpoints of their own",
      permission: "contacts.contact.write",
      body: ContactUpdate,
      returns: ContactRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.contact_id;
        await changeContact(await contactRows().forWrite(id), ctx.params.body);
        return contactRows().answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /contacts/:contact_id",
      summary: "Delete a contact",
      description: "Deletes its links; the trail survives.",
      permission: "contacts.contact.delete",
      async handler(ctx) {
        await removeContact(ctx.params.contact_id);
      },
    }),

    panel: internal({
      summary: "Contacts of a company",
      permission: "contacts.contact.read",
      contributes: { panel: { entity: "company", key: "contacts.company", position: 20 } },
      async handler(ctx) {
        const { organisation, principal } = request();
        const { company_id: company } = ctx.params;
        const values = [organisation.id, principal?.selection ?? null, company, isNarrowClient()];
        const [[row]] = (await queryAll([PANEL, values])) as [[{ contacts: string; candidates: string }]];
        const definitions = mayRead(principal, "settings.customfields.read")
          ? await ctx.call("custom-fields.list", { entity_type: "contact" })
          : [];
        return { contacts: JSON.parse(row.contacts), candidates: JSON.parse(row.candidates), definitions };
      },
    }),
  },
});
