/** Sizes that the ingress accepts. A larger request is refused before its elements are read. */
export const MAXIMUM_OUTPUT_COUNT = 2_500;
/** In the dialect of existing clients, which number results within it. */
export const SDK_OUTPUT_COUNT = 1_000;
export const MAXIMUM_FIT_COUNT = 100;
export const MAXIMUM_CASE_COUNT = 10_000;
export const MAXIMUM_NAME_LENGTH = 200;
export const MAXIMUM_TEXT_LENGTH = 10_000;
export const MAXIMUM_CATEGORY_COUNT = 1_000;
export const PAGE_LIMIT = { default: 50, maximum: 200 } as const;
