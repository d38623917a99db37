import { download } from "../../../core/declare/makers/download.ts";
import { madeFile } from "../../../core/files/file-answer.ts";
import { service } from "../../../mixins/resource.ts";
import { contactRows } from "./contact-rows.ts";
import { type CardFacts, vcardOf } from "./vcard.ts";

export default service("contacts.card", {
  actions: {
    get: download({
      rest: "GET /contacts/:contact_id/vcard",
      summary: "A contact as a vCard",
      description:
        "A card in version 3.0, which telephones and mail programs import: name, function, first client, e-mail addresses, telephone numbers, birthday and notes.",
      permission: "contacts.contact.read",
      returnsFile: "text/vcard",
      errors: ["not_found"],
      async handler({ params: { contact_id: id } }) {
        const contact = (await contactRows().one(id)).parse() as CardFacts;
        const name = [contact.first_name, contact.last_name].filter(Boolean).join(" ").replace(/[/\\]/g, "-");
        return madeFile({ name: `${name}.vcf`, type: "text/vcard", bytes: vcardOf(contact) });
      },
    }),
  },
});
