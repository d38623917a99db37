import type { Locale } from "../../../core/config/defaults.ts";
import type { Address } from "../tones/address.ts";

/** The sentences of a summary that rules write; names in braces are filled in. */
export interface SummaryWords {
  about: Readonly<Record<Address, string>>;
  compared: string;
  rose: string;
  fell: string;
  lower_is_better: string;
  levels: string;
  origin: string;
  done: string;
  done_one: string;
  including: string;
  covered: string;
  below: Readonly<Record<Address, string>>;
}

export const SUMMARY_WORDS: Readonly<Record<Locale, SummaryWords>> = {
  nl: {
    about: { formal: "In deze rapportage leest u over {span}", informal: "In deze rapportage lees je over {span}" },
    compared: ", vergeleken met {compared}",
    rose: "De grootste stijging zien wij bij {label}: {value}, tegen {before} in de periode waarmee wij vergelijken ({change})",
    fell: "De grootste daling zien wij bij {label}: {value}, tegen {before} in de periode waarmee wij vergelijken ({change})",
    lower_is_better: "; lager is beter",
    levels: "De belangrijkste cijfers zijn {list}",
    origin: "De meeste bezoeken kwamen via ‘{name}’: {value}",
    done: "Wij hebben in deze periode {value} taken afgerond{including}",
    done_one: "Wij hebben in deze periode {value} taak afgerond{including}",
    including: ", waaronder {list}",
    covered: "Aan bod komen {list}",
    below: { formal: "Hieronder vindt u de cijfers per onderdeel", informal: "Hieronder vind je de cijfers per onderdeel" },
  },
  en: {
    about: { formal: "This report covers {span}", informal: "Here is your report on {span}" },
    compared: ", compared with {compared}",
    rose: "The largest rise was in {label}: {value}, against {before} in the period we compare with ({change})",
    fell: "The largest fall was in {label}: {value}, against {before} in the period we compare with ({change})",
    lower_is_better: "; lower is better",
    levels: "The main figures are {list}",
    origin: "Most visits came through ‘{name}’: {value}",
    done: "We completed {value} tasks in this period{including}",
    done_one: "We completed {value} task in this period{including}",
    including: ", including {list}",
    covered: "It covers {list}",
    below: {
      formal: "The figures of each section follow below",
      informal: "You will find the figures of each section below",
    },
  },
};
