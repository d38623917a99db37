import { action } from "../../../core/declare/action.ts";
import { optional, Type } from "../../../core/schema/schema.ts";
import { demoId } from "../../../core/values/demo-ids.ts";
import { service } from "../../../mixins/resource.ts";
import { isNarrowClient } from "../contacts/contact-rows.ts";
import { duplicatesOf } from "./duplicate-pairs.ts";
import { ContactDuplicates, DuplicateDismissal, DuplicateDismissed } from "./duplicate-schemas.ts";
import { CONTACTS, CONTACTS_OF_CLIENTS } from "./duplicate-specs.ts";

const forStaff = duplicatesOf(CONTACTS);
const forClients = duplicatesOf(CONTACTS_OF_CLIENTS);
const duplicates = () => (isNarrowClient() ? forClients : forStaff);

export default service("contacts.duplicates", {
  actions: {
    list: action({
      rest: "GET /contacts/duplicates",
      summary: "Propose contacts that may be the same person",
      description:
        "Pairs that share a name or an e-mail address; a telephone number or a client of both makes a pair likelier. Keys of more than ten contacts do not count.",
      permission: "contacts.contact.write",
      query: {
        limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Most pairs in the answer" })),
      },
      returns: ContactDuplicates,
      handler: ({ params: { limit = 20 } }) => duplicates().propose(limit),
    }),

    dismiss: action({
      rest: "POST /contacts/duplicates/dismiss",
      summary: "Say that contacts are different people",
      permission: "contacts.contact.write",
      body: DuplicateDismissal,
      example: { ids: [demoId("contacts", 0), demoId("contacts", 1)] },
      returns: DuplicateDismissed,
      status: 200,
      errors: ["not_found"],
      handler: async ({ params: { body } }) => ({ dismissed: await duplicates().dismiss(body.ids) }),
    }),
  },
});
