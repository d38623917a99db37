import { action } from "../../../core/declare/action.ts";
import { service } from "../../../mixins/resource.ts";
import { mergeContacts } from "./contact-merge.ts";
import { ContactMerge, ContactMergeResult } from "./merge-schemas.ts";

export default service("contacts.merging", {
  actions: {
    merge: action({
      rest: "POST /contacts/:contact_id/merge",
      summary: "Merge a duplicate into a contact",
      description:
        "Everything that refers to the other contact then belongs to this one, and the other is deleted; reading its id answers 308 with the new location. A login of the client portal moves too. It also needs contacts.contact.write and contacts.link.write.",
      permission: "contacts.contact.delete",
      also: ["contacts.contact.write", "contacts.link.write"],
      conditional: true,
      body: ContactMerge,
      returns: ContactMergeResult,
      status: 200,
      errors: ["not_found", "validation errors.merge_with_itself", "conflict errors.contact_two_logins"],
      handler: ({ params: { contact_id: id, body } }) => mergeContacts(id, body.from, body.dry_run ?? false),
    }),
  },
});
