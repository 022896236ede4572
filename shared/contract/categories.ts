import * as v from 'valibot';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Categories of services, and of products';

export const categoryLabel = 'category';

export const categoryTypes = ['SERVICE', 'PRODUCT'] as const;
export const CategoryType = v.picklist(categoryTypes);
export type CategoryType = v.InferOutput<typeof CategoryType>;

export const descriptions = {
  CategoryType: { is: 'What a category holds: services or products' },
} satisfies Descriptions;
