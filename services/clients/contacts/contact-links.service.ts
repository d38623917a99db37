import { action } from "../../../core/declare/action.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { service } from "../../../mixins/resource.ts";
import { contactRows, lockCompanies } from "./contact-rows.ts";
import { ContactLinkCreate, ContactLinkUpdate, ContactRead } from "./contact-schemas.ts";
import { addLink, putLink, removeLink } from "./contact-writes.ts";

const NO_CONTACT = "clients chapter §4.3: without a link there is nothing to delete, so an unknown contact is 204";

export default service("contacts.links", {
  actions: {
    create: action({
      rest: "POST /contacts/:contact_id/links",
      summary: "Link a contact to a company, or update the link",
      description:
        "The link becomes primary on request, or if the company has no primary contact yet. The type is always written.",
      permission: "contacts.link.write",
      body: ContactLinkCreate,
      returns: ContactRead,
      async handler(ctx) {
        const id = ctx.params.contact_id;
        const { company_id: company, ...wish } = ctx.params.body;
        await lockCompanies([company.toLowerCase()]);
        await contactRows().forWrite(id);
        await addLink(id, company, wish);
        return contactRows().answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /contacts/:contact_id/links/:company_id",
      summary: "Change a link, or make it",
      description: "Without is_primary the link is demoted. The type is written only when sent.",
      permission: "contacts.link.write",
      body: ContactLinkUpdate,
      returns: ContactRead,
      async handler(ctx) {
        const [id, company] = [ctx.params.contact_id, ctx.params.company_id];
        await lockCompanies([company]);
        await contactRows().forWrite(id);
        await putLink(id, company, ctx.params.body);
        return contactRows().answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /contacts/:contact_id/links/:company_id",
      summary: "Unlink a contact from a company",
      description: "The contact survives, and no other contact becomes primary.",
      permission: "contacts.link.write",
      exceptions: { tenancy: NO_CONTACT, selection: NO_CONTACT },
      async handler(ctx) {
        const [id, company] = [ctx.params.contact_id, ctx.params.company_id];
        await lockCompanies([company]);
        try {
          await contactRows().forWrite(id);
        } catch (error) {
          if (isApiError(error) && error.code === 404) return;
          throw error;
        }
        await removeLink(id, company);
      },
    }),
  },
});
