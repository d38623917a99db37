import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { flag, optional, page } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { hostingListing, hostingQuery, hostings } from "./hosting.list.ts";
import { HostingCreate, HostingRead, HostingUpdate } from "./hosting-schemas.ts";
import { changeHosting, createHosting, removeHosting } from "./hosting-writes.ts";
import { Hosting } from "./models.ts";

export default resource("hosting", {
  model: Hosting,
  actions: {
    list: action({
      rest: "GET /hosting",
      summary: "List hosting",
      description:
        "`q` searches names and addresses. `meta=false` leaves the names of client and provider and the contact empty.",
      permission: "hosting.hosting.read",
      query: { ...listQuery(hostingListing.spec.sorts), ...hostingQuery, meta: optional(flag(true)) },
      returns: page(HostingRead),
      handler: (ctx) => hostings.page(ctx.params, ctx.params.meta),
    }),

    create: action({
      rest: "POST /hosting",
      summary: "Add hosting",
      description: "Without a client, all clients share it.",
      permission: "hosting.hosting.write",
      body: HostingCreate,
      example: {
        name: "Webserver 3",
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        provider_id: "ae63c71c-0c1e-4a5b-8d2f-ae63c71c0001",
        ip_address: "203.0.113.17",
        contact: { type: "agency" },
      },
      returns: HostingRead,
      errors: ["not_found", "invalid_provider", "invalid_party"],
      async handler(ctx) {
        return hostings.answerWith(await createHosting(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /hosting/:hosting_id",
      summary: "Read one hosting",
      permission: "hosting.hosting.read",
      returns: HostingRead,
      handler: (ctx) => hostings.one(ctx.params.hosting_id),
    }),

    update: action({
      rest: "PATCH /hosting/:hosting_id",
      summary: "Change hosting",
      permission: "hosting.hosting.write",
      body: HostingUpdate,
      example: { ip_address: "203.0.113.18" },
      returns: HostingRead,
      errors: ["invalid_provider", "invalid_party"],
      async handler(ctx) {
        const id = ctx.params.hosting_id;
        await changeHosting(await hostings.forWrite(id), ctx.params.body);
        return hostings.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /hosting/:hosting_id",
      summary: "Delete hosting; its websites have no hosting afterwards",
      permission: "hosting.hosting.delete",
      async handler(ctx) {
        const id = ctx.params.hosting_id;
        await hostings.forWrite(id);
        await removeHosting(id);
      },
    }),
  },
});
