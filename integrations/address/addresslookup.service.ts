import { queryAll } from "../../core/database/query.ts";
import { action } from "../../core/declare/action.ts";
import { answer, field, list, nonEmpty, Type } from "../../core/schema/schema.ts";
import { service } from "../../mixins/resource.ts";
import { closestFirst, questionOf } from "./address.ts";
import { pdok } from "./pdok.ts";

const AddressLookupResponse = answer("AddressLookupResponse", {
  suggestions: field(
    list(
      answer("AddressSuggestionOut", {
        street: Type.String({ description: "Street" }),
        house_number: Type.String({ description: "House number with its addition" }),
        postal_code: Type.String({ description: "Postal code" }),
        city: Type.String({ description: "Town or city" }),
        country: Type.String({ description: "ISO 3166-1 alpha-2 code" }),
      }),
    ),
    "Addresses with this postal code, the matching house number first; empty if none match or the provider did not answer",
  ),
});

export default service("addresslookup", {
  actions: {
    find: action({
      rest: "GET /addresslookup",
      summary: "Suggest Dutch addresses for a postal code and house number",
      description: "Returns no suggestions if the provider does not answer in time, never an error.",
      permission: "addresslookup.lookup",
      query: { postal_code: nonEmpty(16), house_number: nonEmpty(16) },
      returns: AddressLookupResponse,
      async handler(ctx) {
        const { postal_code: postalCode, house_number: houseNumber } = ctx.params;
        const question = questionOf(postalCode, houseNumber);
        if (!question) return { suggestions: [] };
        // Confirms the caller before calling outside, and releases the connection.
        await queryAll();
        try {
          const found = await pdok.find(question);
          return { suggestions: closestFirst(found, houseNumber) };
        } catch (error) {
          ctx.broker
            .getLogger("addresslookup")
            .warn({ event: "address.provider_failed", error: (error as Error).message }, "the address provider gave no answer");
          return { suggestions: [] };
        }
      },
    }),
  },
});
