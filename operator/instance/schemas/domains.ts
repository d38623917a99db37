import { answer, flag, input, instant, list, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

export const DomainRead = answer(
  "InstanceDomain",
  {
    id: uuid(),
    hostname: Type.String(),
    verified_at: nullable(instant()),
    created_at: instant(),
    proof: nullable(
      answer(
        "InstanceDomainProof",
        { name: Type.String(), value: Type.String() },
        { name: "Name of the TXT record", value: "Text of the TXT record" },
      ),
    ),
  },
  {
    id: "Id of the domain",
    hostname: "The host name, in lower case",
    verified_at: "When it was linked; null for a claim, at which the organisation does not answer",
    created_at: "When it was claimed",
    proof: "The TXT record that proves the claim; null once it is linked",
  },
);
export const DomainList = list(DomainRead);

export const DomainClaim = input(
  "InstanceDomainClaim",
  { hostname: text(253, { example: "office.agency.example" }), is_trusted: optional(flag(false)) },
  {
    hostname: "The host name, without scheme, port and path",
    is_trusted: "Whether to link it without a proof",
  },
);
