/** Legal forms and titles, which payers leave out or write in their own way. */
const FORMS = new Set([
  "bv",
  "nv",
  "vof",
  "cv",
  "ua",
  "eenmanszaak",
  "stichting",
  "vereniging",
  "gmbh",
  "ag",
  "ltd",
  "llc",
  "inc",
  "sa",
  "srl",
  "sarl",
  "hr",
  "mw",
  "dhr",
  "mevr",
  "de",
  "het",
  "the",
  "eo",
]);
const SHORTEST = 4;

/** A name as it is compared: without accents, signs, legal forms and case. Empty for a name that says too little. */
export function comparedName(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  // `b.v.` and `b v` are one word.
  const joined = plain.replace(/\b(\p{L})[. ](?=\p{L}\b)/gu, "$1");
  const words = joined.split(/[^\p{L}\d]+/u).filter((word) => word !== "" && !FORMS.has(word));
  const compared = words.join("");
  return compared.length >= SHORTEST ? compared : "";
}
