"""The platform: a self-hosted backend that speaks the Supabase protocol and knows no word of the product."""
