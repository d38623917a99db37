/** Languages of the accepted country names. */
const LANGUAGES = ["nl", "en", "de", "fr"];

/** Common names outside the standard (ISO 3166, CLDR); the last entry is a common but invalid code. */
const ALSO: Readonly<Record<string, string>> = {
  holland: "NL",
  "the netherlands": "NL",
  "koninkrijk der nederlanden": "NL",
  belgie: "BE",
  luxemburg: "LU",
  duitsland: "DE",
  engeland: "GB",
  england: "GB",
  "groot-brittannie": "GB",
  "great britain": "GB",
  grossbritannien: "GB",
  schotland: "GB",
  scotland: "GB",
  wales: "GB",
  "verenigde staten van amerika": "US",
  "united states of america": "US",
  usa: "US",
  vs: "US",
  amerika: "US",
  tsjechie: "CZ",
  "czech republic": "CZ",
  turkey: "TR",
  "ivory coast": "CI",
  uk: "GB",
};

/** Three-letter codes of the countries that an agency here meets (ISO 3166-1 alpha-3). */
const THREE_LETTERS: Readonly<Record<string, string>> = {
  nld: "NL",
  bel: "BE",
  lux: "LU",
  deu: "DE",
  fra: "FR",
  gbr: "GB",
  irl: "IE",
  aut: "AT",
  che: "CH",
  ita: "IT",
  esp: "ES",
  prt: "PT",
  dnk: "DK",
  swe: "SE",
  nor: "NO",
  fin: "FI",
  pol: "PL",
  cze: "CZ",
  svk: "SK",
  hun: "HU",
  rou: "RO",
  bgr: "BG",
  hrv: "HR",
  svn: "SI",
  grc: "GR",
  tur: "TR",
  usa: "US",
  can: "CA",
};

/** A name without case, accents and repeated spaces. */
const plain = (name: string): string => name.normalize("NFD").replace(/\p{M}/gu, "").replace(/\s+/g, " ").trim().toLowerCase();

let known: Map<string, string> | undefined;

/** All names of all countries, built at first use. */
function codes(): Map<string, string> {
  if (known) return known;
  known = new Map();
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      const name = names.of(code);
      // Exclude regions that are not countries, and withdrawn codes, which show the name of their successor.
      if (name !== undefined && new Intl.Locale("und", { region: code }).maximize().region === code) {
        const bare = plain(name);
        if (!known.has(bare)) known.set(bare, code);
      }
    }
  }
  for (const [name, code] of Object.entries({ ...THREE_LETTERS, ...ALSO })) known.set(name, code);
  return known;
}

/**
 * The code of a country from its name in Dutch, English, German or French, or from a code. Two characters other than `uk` and `vs` are
 * returned unchecked, because the country fields accept any two.
 */
export function countryCode(text: string): string | undefined {
  const name = plain(text);
  if (name.length === 2 && name !== "uk" && name !== "vs") return text.trim();
  return codes().get(name.replace(/\.$/, "")) ?? codes().get(name.replace(/\./g, ""));
}
