import { newPostWebhook } from '../clients/post-webhook.ts';
import { settings } from './settings.ts';
import { system } from './system.ts';

/** Posts as the function's environment says. */
export const postWebhook = newPostWebhook({ reachesLoopback: settings.reachesLoopback, system });
