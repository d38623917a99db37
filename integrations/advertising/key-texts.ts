import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const adsFieldTexts = {
  "errors.ads_platform_ad_description_count": [
    "A responsive search ad needs 2 to 4 descriptions.",
    "Send 2 to 4 different descriptions.",
  ],
  "errors.ads_platform_ad_description_length": [
    "A description is blank or has more than 90 characters, as the provider counts them.",
    "Shorten the description.",
  ],
  "errors.ads_platform_ad_final_url": [
    "An ad needs 1 to 10 web addresses.",
    "Send complete addresses that begin with http or https.",
  ],
  "errors.ads_platform_ad_headline_count": [
    "A responsive search ad needs 3 to 15 headlines.",
    "Send 3 to 15 different headlines.",
  ],
  "errors.ads_platform_ad_headline_length": [
    "A headline is blank or has more than 30 characters, as the provider counts them.",
    "Shorten the headline.",
  ],
  "errors.ads_platform_decision_subject_required": [
    "A decision has no subject.",
    "Say what the decision is about, such as a search term.",
  ],
  "errors.ads_platform_keyword_seed_required": [
    "Ideas for keywords need words or an address to begin with.",
    "Send `keywords`, `url` or both.",
  ],
  "errors.ads_platform_negative_level_invalid": ["`level` is none of campaign, ad_group and shared_set.", "Send one of them."],
  "errors.ads_platform_nothing_to_change": ["The body changes nothing.", "Send at least one value to change."],
  "errors.ads_platform_status_invalid": ["`status` is none of ENABLED, PAUSED and REMOVED.", "Send one of them."],
  "errors.ads_platform_status_removed": [
    "This call cannot remove, or removes and changes at once.",
    "Use the operation that removes, or leave the other values out.",
  ],
  "errors.ads_platform_too_many_operations": [
    "One call has more operations than are sent to the provider at once.",
    "Send fewer operations a call.",
  ],
} satisfies ErrorTexts;
