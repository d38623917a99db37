/** How a tone addresses the reader. */
export type Address = "formal" | "informal";

/** What a tone's instructions call each form of address; a negation before it excludes the form. */
const FORMS =
  /(?<!\p{L})(?<not>(?:niet|geen|not|never|nooit)\s+(?:\p{L}+\s+){0,2})?(?:(?<informal>(?:je|jij|jullie)-?vorm|tutoy\p{L}+|informe(?:el|le)|informal\p{L}*|casual\p{L}*)|(?<formal>u-?vorm|vousvoy\p{L}+|forme(?:el|le)|formal\p{L}*))(?!\p{L})/giu;

/** The form of address that a tone's instructions ask for first; formal if they name none, as the built-in tone is. */
export function addressOf(instructions: string): Address {
  for (const { groups = {} } of instructions.matchAll(FORMS)) {
    if (groups["not"] !== undefined) continue;
    return groups["informal"] === undefined ? "formal" : "informal";
  }
  return "formal";
}
