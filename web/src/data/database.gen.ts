// Generated from the database by `python -m scripts.gen_types`; a test fails when it is stale.
// Insert and Update hold only the columns that the browser may write.

type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  __InternalSupabase: {
    PostgrestVersion: '12'
  }
  public: {
    Tables: {
      admin_actions: {
        Row: {
          action: string
          admin_id: string | null
          after: Json | null
          before: Json | null
          created_at: string
          id: number
          reason: string
          subject_id: string | null
          target: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      admin_views: {
        Row: {
          created_at: string
          id: string
          name: string
          query: string
          screen: string
          user_id: string
        }
        Insert: {
          id?: string
          name: string
          query: string
          screen: string
          user_id?: string
        }
        Update: {
          name?: string
          query?: string
          screen?: string
        }
        Relationships: []
      }
      agent_mandates: {
        Row: {
          action: string
          agent: string
          autonomy: Database['public']['Enums']['goal_autonomy']
          claims_interest: boolean
          given_at: string
          ibans: string[]
          id: string
          last_tone: number
          letter_budget: number | null
          letter_credits: number | null
          letter_style: string | null
          max_cents: number
          max_recipients_day: number
          revoked_at: string | null
          skipped_steps: string[]
          user_id: string
          uses_pec: boolean
          uses_whatsapp: boolean
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      ai_usage: {
        Row: {
          created_at: string
          credits: number | null
          entities: Json
          host: string | null
          id: number
          message_id: string
          mode: string
          model: string | null
          provider: string | null
          seconds: number | null
          tokens_in: number | null
          tokens_out: number | null
          user_id: string
          work: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      analytics_events: {
        Row: Record<string, never>
        Insert: {
          event_name: string
          ip_hash?: string
          properties?: Json | null
          referrer?: string | null
          session_id: string
          user_agent: string
          user_id?: string | null
        }
        Update: Record<string, never>
        Relationships: []
      }
      catalog_versions: {
        Row: {
          created_at: string
          note: string
          published_at: string | null
          version: number
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      claims: {
        Row: {
          base: string | null
          effective_key: string | null
          formula: string | null
          key: string
          source: string
          status: Database['public']['Enums']['claim_status']
          surface: string
          text: string
          unit: string | null
          value: number | null
          version: number
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'claims_version_fkey'
            columns: ['version']
            isOneToOne: false
            referencedRelation: 'catalog_versions'
            referencedColumns: ['version']
          },
        ]
      }
      consent_events: {
        Row: {
          at: string
          channel: Database['public']['Enums']['consent_channel']
          contact_id: string
          created_at: string
          id: string
          legal_basis: string | null
          purpose: Database['public']['Enums']['consent_purpose']
          source: string | null
          state: Database['public']['Enums']['consent_state']
          user_id: string
          wording: string | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      consents: {
        Row: {
          at: string
          channel: Database['public']['Enums']['consent_channel']
          contact_id: string
          created_at: string
          id: string
          legal_basis: string | null
          purpose: Database['public']['Enums']['consent_purpose']
          source: string | null
          state: Database['public']['Enums']['consent_state']
          user_id: string
          wording: string | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'consents_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contact_channels: {
        Row: {
          contact_id: string
          created_at: string
          external_id: string
          failures: number
          id: string
          is_done: boolean
          kind: Database['public']['Enums']['contact_channel_kind']
          last_at: string
          last_inbound_at: string | null
          phone_id: string | null
          portfolio: string
          snippet: string
          stopped_at: string | null
          user_id: string
          username: string | null
          window_expires_at: string | null
        }
        Insert: Record<string, never>
        Update: {
          is_done?: boolean
        }
        Relationships: [
          {
            foreignKeyName: 'contact_channels_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'contact_channels_user_id_phone_id_fkey'
            columns: ['user_id', 'phone_id']
            isOneToOne: false
            referencedRelation: 'contact_phones'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contact_distinct: {
        Row: {
          a_id: string
          b_id: string
          created_at: string
          id: string
          user_id: string
        }
        Insert: {
          a_id: string
          b_id: string
          id?: string
          user_id?: string
        }
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'contact_distinct_user_id_a_id_fkey'
            columns: ['user_id', 'a_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'contact_distinct_user_id_b_id_fkey'
            columns: ['user_id', 'b_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contact_emails: {
        Row: {
          contact_id: string
          created_at: string
          id: string
          is_primary: boolean
          label: string | null
          norm: string
          user_id: string
          value: string
        }
        Insert: {
          contact_id: string
          id?: string
          is_primary?: boolean
          label?: string | null
          user_id?: string
          value: string
        }
        Update: {
          is_primary?: boolean
          label?: string | null
          value?: string
        }
        Relationships: [
          {
            foreignKeyName: 'contact_emails_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contact_erasures: {
        Row: {
          contact_id: string
          created_at: string
          id: string
          initials: string
          lines: Json
          request_id: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'contact_erasures_user_id_request_id_fkey'
            columns: ['user_id', 'request_id']
            isOneToOne: false
            referencedRelation: 'contact_requests'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contact_phones: {
        Row: {
          contact_id: string
          created_at: string
          id: string
          is_primary: boolean
          label: string | null
          norm: string
          user_id: string
          value: string
        }
        Insert: {
          contact_id: string
          id?: string
          is_primary?: boolean
          label?: string | null
          norm: string
          user_id?: string
          value: string
        }
        Update: {
          is_primary?: boolean
          label?: string | null
          norm?: string
          value?: string
        }
        Relationships: [
          {
            foreignKeyName: 'contact_phones_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contact_requests: {
        Row: {
          closed_at: string | null
          contact_id: string | null
          contact_name: string
          created_at: string
          due_on: string
          extended_at: string | null
          extension_reason: string | null
          id: string
          kind: Database['public']['Enums']['contact_request_kind']
          note: string | null
          outcome: Database['public']['Enums']['contact_request_outcome'] | null
          received_by: string | null
          received_on: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'contact_requests_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contact_tags: {
        Row: {
          contact_id: string
          created_at: string
          tag_id: string
          user_id: string
        }
        Insert: {
          contact_id: string
          tag_id: string
          user_id?: string
        }
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'contact_tags_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'contact_tags_user_id_tag_id_fkey'
            columns: ['user_id', 'tag_id']
            isOneToOne: false
            referencedRelation: 'tags'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      contacts: {
        Row: {
          address: Json | null
          business_name: string | null
          company_id: string | null
          created_at: string
          deleted_at: string | null
          first_name: string | null
          id: string
          import_batch_id: string | null
          job_title: string | null
          last_interaction_at: string | null
          last_name: string | null
          merged_into: string | null
          name: string
          next_touch_at: string | null
          note: string | null
          origin: Database['public']['Enums']['contact_origin']
          pec: string | null
          regime: string | null
          sdi_code: string | null
          snoozed_until: string | null
          tax_code: string | null
          touch_days: number | null
          type: Database['public']['Enums']['contact_type']
          updated_at: string
          user_id: string
          vat_number: string | null
          vies_checked_at: string | null
          vies_name: string | null
          vies_registered: boolean | null
          vies_vat_number: string | null
          website: string | null
        }
        Insert: {
          address?: Json | null
          business_name?: string | null
          company_id?: string | null
          first_name?: string | null
          id?: string
          import_batch_id?: string | null
          job_title?: string | null
          last_name?: string | null
          note?: string | null
          origin?: Database['public']['Enums']['contact_origin']
          pec?: string | null
          regime?: string | null
          sdi_code?: string | null
          snoozed_until?: string | null
          tax_code?: string | null
          touch_days?: number | null
          type?: Database['public']['Enums']['contact_type']
          user_id?: string
          vat_number?: string | null
          website?: string | null
        }
        Update: {
          address?: Json | null
          business_name?: string | null
          company_id?: string | null
          deleted_at?: string | null
          first_name?: string | null
          job_title?: string | null
          last_name?: string | null
          note?: string | null
          pec?: string | null
          regime?: string | null
          sdi_code?: string | null
          snoozed_until?: string | null
          tax_code?: string | null
          touch_days?: number | null
          type?: Database['public']['Enums']['contact_type']
          vat_number?: string | null
          website?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'contacts_import_fkey'
            columns: ['user_id', 'import_batch_id']
            isOneToOne: false
            referencedRelation: 'import_batches'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'contacts_user_id_company_id_fkey'
            columns: ['user_id', 'company_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'contacts_user_id_merged_into_fkey'
            columns: ['user_id', 'merged_into']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      conversations: {
        Row: {
          agent: string
          archived_at: string | null
          auto_approve: string[]
          created_at: string
          id: string
          is_temporary: boolean
          last_message_at: string
          pinned_at: string | null
          title: string | null
          updated_at: string
          user_id: string
          uses_memory: boolean
        }
        Insert: Record<string, never>
        Update: {
          agent?: string
          archived_at?: string | null
          auto_approve?: string[]
          pinned_at?: string | null
          title?: string | null
          uses_memory?: boolean
        }
        Relationships: []
      }
      credit_holds: {
        Row: {
          amount: number
          captured: number
          closed_at: string | null
          created_at: string
          expires_at: string
          id: string
          idempotency_key: string
          ref_id: string | null
          ref_type: string | null
          settle_key: string | null
          state: Database['public']['Enums']['credit_hold_state']
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'credit_holds_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'credit_wallets'
            referencedColumns: ['user_id']
          },
        ]
      }
      credit_ledger: {
        Row: {
          account: Database['public']['Enums']['credit_account']
          amount: number
          balance_after: number
          created_at: string
          hold_id: string | null
          id: number
          idempotency_key: string
          kind: Database['public']['Enums']['credit_entry_kind']
          lot_id: string
          part: number
          reason: string | null
          ref_id: string | null
          ref_type: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'credit_ledger_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'credit_wallets'
            referencedColumns: ['user_id']
          },
          {
            foreignKeyName: 'credit_ledger_user_id_hold_id_fkey'
            columns: ['user_id', 'hold_id']
            isOneToOne: false
            referencedRelation: 'credit_holds'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'credit_ledger_user_id_lot_id_fkey'
            columns: ['user_id', 'lot_id']
            isOneToOne: false
            referencedRelation: 'credit_lots'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      credit_lots: {
        Row: {
          amount: number
          created_at: string
          expires_at: string | null
          held: number
          id: string
          kind: Database['public']['Enums']['credit_lot_kind']
          order_id: string | null
          paid_cents: number
          remaining: number
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'credit_lots_user_id_fkey'
            columns: ['user_id']
            isOneToOne: false
            referencedRelation: 'credit_wallets'
            referencedColumns: ['user_id']
          },
        ]
      }
      credit_orders: {
        Row: {
          amount_cents: number
          billing: Json | null
          bonus: number
          catalog_version: number
          checked_at: string | null
          checkout_url: string | null
          consumer: boolean
          created_at: string
          credits: number
          currency: string
          dispute_lost_at: string | null
          dispute_won_at: string | null
          disputed_at: string | null
          email: string | null
          expired_at: string | null
          expires_at: string
          failed_at: string | null
          fulfilled_at: string | null
          id: string
          orphaned_at: string | null
          pack_id: string
          paid_at: string | null
          payment_intent: string | null
          provider_session: string | null
          receipt_at: string | null
          refunded_cents: number
          state: Database['public']['Enums']['order_state']
          submitted_at: string | null
          taken_cents: number
          user_id: string
          withdrawal_waiver_at: string | null
          withdrawn_at: string | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'credit_orders_catalog_version_pack_id_fkey'
            columns: ['catalog_version', 'pack_id']
            isOneToOne: false
            referencedRelation: 'packs'
            referencedColumns: ['version', 'id']
          },
        ]
      }
      credit_prices: {
        Row: {
          action: string
          max_credits: number
          min_credits: number
          name: string
          note: string | null
          position: number
          version: number
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'credit_prices_version_fkey'
            columns: ['version']
            isOneToOne: false
            referencedRelation: 'catalog_versions'
            referencedColumns: ['version']
          },
        ]
      }
      credit_settings: {
        Row: {
          low_threshold: number
          monthly_cap: number | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: {
          low_threshold?: number
          monthly_cap?: number | null
        }
        Relationships: []
      }
      credit_wallets: {
        Row: {
          balance: number
          held: number
          updated_at: string
          used_in_month: number
          used_month: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      data_exports: {
        Row: {
          bytes: number | null
          created_at: string
          domains: string[]
          expires_at: string | null
          finished_at: string | null
          id: string
          lacked_space: boolean
          opens: number
          progress: number
          sha256: string | null
          state: Database['public']['Enums']['export_state']
          user_id: string
          with_files: boolean
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      data_imports: {
        Row: {
          created_at: string
          error: string | null
          files: number | null
          files_done: number
          files_lost: number
          finished_at: string | null
          id: string
          restored_at: string | null
          rows: number | null
          rows_done: number
          state: Database['public']['Enums']['data_import_state']
          storage_path: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      deal_stage_log: {
        Row: {
          created_at: string
          deal_id: string
          entered_at: string
          id: string
          left_at: string | null
          stage_id: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'deal_stage_log_user_id_deal_id_fkey'
            columns: ['user_id', 'deal_id']
            isOneToOne: false
            referencedRelation: 'deals'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'deal_stage_log_user_id_stage_id_fkey'
            columns: ['user_id', 'stage_id']
            isOneToOne: false
            referencedRelation: 'stages'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      deals: {
        Row: {
          amount_cents: number
          contact_id: string | null
          created_at: string
          currency: string
          deleted_at: string | null
          expected_close: string | null
          id: string
          import_batch_id: string | null
          lost_at: string | null
          lost_reason: string | null
          origin: Database['public']['Enums']['contact_origin']
          position: string
          probability: number | null
          stage_id: string
          stage_since: string
          title: string
          user_id: string
          won_at: string | null
        }
        Insert: {
          amount_cents?: number
          contact_id?: string | null
          currency?: string
          expected_close?: string | null
          id?: string
          lost_reason?: string | null
          position?: string
          probability?: number | null
          stage_id: string
          title: string
          user_id?: string
        }
        Update: {
          amount_cents?: number
          contact_id?: string | null
          currency?: string
          deleted_at?: string | null
          expected_close?: string | null
          lost_reason?: string | null
          position?: string
          probability?: number | null
          stage_id?: string
          title?: string
        }
        Relationships: [
          {
            foreignKeyName: 'deals_import_fkey'
            columns: ['user_id', 'import_batch_id']
            isOneToOne: false
            referencedRelation: 'import_batches'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'deals_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'deals_user_id_stage_id_fkey'
            columns: ['user_id', 'stage_id']
            isOneToOne: false
            referencedRelation: 'stages'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      deletion_requests: {
        Row: {
          cancelled_at: string | null
          due_at: string
          erased_at: string | null
          erasing_at: string | null
          fiscal_archive: Database['public']['Enums']['fiscal_archive_answer']
          found_files: number | null
          found_rows: Json | null
          id: string
          reminded_at: string | null
          requested_at: string
          state: Database['public']['Enums']['deletion_state']
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      dismissed_parties: {
        Row: {
          created_at: string
          id: string
          party_key: string
          user_id: string
        }
        Insert: {
          id?: string
          party_key: string
          user_id?: string
        }
        Update: Record<string, never>
        Relationships: []
      }
      document_aliases: {
        Row: {
          contact_id: string
          created_at: string
          id: string
          kind: Database['public']['Enums']['document_alias_kind']
          state: Database['public']['Enums']['document_alias_state']
          user_id: string
          value: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'document_aliases_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      document_corrections: {
        Row: {
          created_at: string
          id: string
          key: string
          kind: Database['public']['Enums']['document_kind'] | null
          label: string | null
          user_id: string
          vat_number: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      document_fields: {
        Row: {
          box: number[] | null
          confidence: number
          confirmed_at: string | null
          created_at: string
          document_id: string
          key: string
          label: string | null
          page: number | null
          source: Database['public']['Enums']['document_field_source']
          user_id: string
          value: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'document_fields_user_id_document_id_fkey'
            columns: ['user_id', 'document_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      document_links: {
        Row: {
          created_at: string
          deal_id: string | null
          document_id: string
          id: string
          task_id: string | null
          user_id: string
        }
        Insert: {
          deal_id?: string | null
          document_id: string
          id?: string
          task_id?: string | null
          user_id?: string
        }
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'document_links_user_id_deal_id_fkey'
            columns: ['user_id', 'deal_id']
            isOneToOne: false
            referencedRelation: 'deals'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'document_links_user_id_document_id_fkey'
            columns: ['user_id', 'document_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'document_links_user_id_task_id_fkey'
            columns: ['user_id', 'task_id']
            isOneToOne: false
            referencedRelation: 'tasks'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      document_pages: {
        Row: {
          confidence: number | null
          created_at: string
          document_id: string
          height: number | null
          no: number
          rotation: number
          source: Database['public']['Enums']['document_page_source'] | null
          state: Database['public']['Enums']['document_page_state']
          text: string
          user_id: string
          width: number | null
          words: Json
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'document_pages_user_id_document_id_fkey'
            columns: ['user_id', 'document_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      document_tags: {
        Row: {
          created_at: string
          document_id: string
          tag_id: string
          user_id: string
        }
        Insert: {
          document_id: string
          tag_id: string
          user_id?: string
        }
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'document_tags_user_id_document_id_fkey'
            columns: ['user_id', 'document_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'document_tags_user_id_tag_id_fkey'
            columns: ['user_id', 'tag_id']
            isOneToOne: false
            referencedRelation: 'tags'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      documents: {
        Row: {
          bytes: number | null
          contact_id: string | null
          contact_reason: string | null
          contact_suggestion: string | null
          created_at: string
          currency: string
          deleted_at: string | null
          due_on: string | null
          duplicate_of: string | null
          error: string | null
          error_code: string | null
          filename: string
          filename_by_user: boolean
          id: string
          issued_on: string | null
          kind: Database['public']['Enums']['document_kind']
          kind_by_user: boolean
          kind_confidence: number | null
          kind_rule: string | null
          lang: string | null
          left_out_at: string | null
          mime: string | null
          note: string | null
          pages: number | null
          pages_done: number
          parent_id: string | null
          removed_keys: string[]
          retention_until: string | null
          sha256: string | null
          state: Database['public']['Enums']['document_state']
          storage_path: string
          supplier: Json | null
          title: string | null
          total_cents: number | null
          unpacked_bytes: number
          updated_at: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: {
          contact_id?: string | null
          deleted_at?: string | null
          due_on?: string | null
          filename?: string
          filename_by_user?: boolean
          issued_on?: string | null
          note?: string | null
          retention_until?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'documents_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'documents_user_id_contact_suggestion_fkey'
            columns: ['user_id', 'contact_suggestion']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'documents_user_id_duplicate_of_fkey'
            columns: ['user_id', 'duplicate_of']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'documents_user_id_parent_id_fkey'
            columns: ['user_id', 'parent_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      drafts: {
        Row: {
          ai: Json | null
          body: string
          channel: string
          contact_id: string | null
          conversation_id: string | null
          created_at: string
          deleted_at: string | null
          id: string
          recipient: string | null
          subject: string | null
          updated_at: string
          user_id: string
        }
        Insert: {
          body: string
          channel: string
          contact_id?: string | null
          conversation_id?: string | null
          id?: string
          recipient?: string | null
          subject?: string | null
          user_id?: string
        }
        Update: {
          body?: string
          channel?: string
          contact_id?: string | null
          deleted_at?: string | null
          recipient?: string | null
          subject?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'drafts_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'drafts_user_id_conversation_id_fkey'
            columns: ['user_id', 'conversation_id']
            isOneToOne: false
            referencedRelation: 'conversations'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      error_logs: {
        Row: Record<string, never>
        Insert: {
          component_stack?: string | null
          error_message: string
          error_stack?: string | null
          metadata?: Json | null
          session_id: string
          severity?: Database['public']['Enums']['error_severity']
          url?: string | null
          user_agent?: string | null
          user_id?: string | null
        }
        Update: Record<string, never>
        Relationships: []
      }
      ethical_logs: {
        Row: {
          action: string
          at: string
          chain: string
          goal_id: string | null
          hash: string
          human_decision: string | null
          id: string
          inputs_hash: string
          model_opinion: string | null
          prev_hash: string
          rule_version: string | null
          rules: string[]
          seq: number
          step_id: string | null
          user_id: string | null
          verdict: string | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      fiscal_documents: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'fiscal_documents_order_id_fkey'
            columns: ['order_id']
            isOneToOne: false
            referencedRelation: 'credit_orders'
            referencedColumns: ['id']
          },
        ]
      }
      flat_rate_choices: {
        Row: {
          activity: string
          contributions: Database['public']['Enums']['contribution_kind']
          created_at: string
          fixed_cents: number | null
          is_startup: boolean
          user_id: string
        }
        Insert: {
          activity: string
          contributions?: Database['public']['Enums']['contribution_kind']
          fixed_cents?: number | null
          is_startup?: boolean
          user_id?: string
        }
        Update: {
          activity?: string
          contributions?: Database['public']['Enums']['contribution_kind']
          fixed_cents?: number | null
          is_startup?: boolean
        }
        Relationships: []
      }
      goal_steps: {
        Row: {
          approved_at: string | null
          approved_hash: string | null
          args: Json
          attempts: number
          brief: Json | null
          contact_id: string | null
          created_at: string
          done_at: string | null
          draft: string | null
          error: string | null
          expires_at: string | null
          goal_id: string
          id: string
          leased_until: string | null
          letter: Database['public']['Enums']['goal_letter'] | null
          max_credits: number
          not_before: string
          preview: Json
          recipients: string[]
          rules: Json
          state: Database['public']['Enums']['goal_step_state']
          tool: string
          user_id: string
          written_at: string | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'goal_steps_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'goal_steps_user_id_goal_id_fkey'
            columns: ['user_id', 'goal_id']
            isOneToOne: false
            referencedRelation: 'goals'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      goals: {
        Row: {
          agent: string
          budget_credits: number
          completed_at: string | null
          created_at: string
          id: string
          next_run_at: string
          spent_credits: number
          state: Database['public']['Enums']['goal_state']
          stop_reason: string | null
          title: string
          user_id: string
          wait: Database['public']['Enums']['goal_wait'] | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      hold_lots: {
        Row: {
          amount: number
          captured: number
          hold_id: string
          lot_id: string
          part: number
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'hold_lots_user_id_hold_id_fkey'
            columns: ['user_id', 'hold_id']
            isOneToOne: false
            referencedRelation: 'credit_holds'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'hold_lots_user_id_lot_id_fkey'
            columns: ['user_id', 'lot_id']
            isOneToOne: false
            referencedRelation: 'credit_lots'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      import_batches: {
        Row: {
          consent: Json | null
          created: number
          created_at: string
          failed: number
          file_name: string
          finished_at: string | null
          id: string
          kind: Database['public']['Enums']['import_kind']
          new_tags: string[]
          rejected: number
          skipped: number
          state: Database['public']['Enums']['import_state']
          total: number
          updated: number
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      insight_prefs: {
        Row: {
          acted: number
          created_at: string
          is_enabled: boolean
          kind: string
          refused: number
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      insights: {
        Row: {
          amount_cents: number | null
          body: string
          contact_id: string | null
          created_at: string
          currency: string
          data: Json
          entity_id: string | null
          entity_type: string
          id: string
          kind: string
          reason: string | null
          score: number
          since: string
          snoozed_until: string | null
          state: Database['public']['Enums']['insight_state']
          title: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'insights_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      interactions: {
        Row: {
          at: string
          contact_id: string
          created_at: string
          direction: Database['public']['Enums']['interaction_direction'] | null
          id: string
          kind: Database['public']['Enums']['interaction_kind']
          summary: string | null
          user_id: string
        }
        Insert: {
          at?: string
          contact_id: string
          direction?: Database['public']['Enums']['interaction_direction'] | null
          id?: string
          kind: Database['public']['Enums']['interaction_kind']
          summary?: string | null
          user_id?: string
        }
        Update: {
          at?: string
          direction?: Database['public']['Enums']['interaction_direction'] | null
          kind?: Database['public']['Enums']['interaction_kind']
          summary?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'interactions_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      invoice_schedules: {
        Row: {
          amount_cents: number
          created_at: string
          due_on: string | null
          iban: string | null
          id: string
          invoice_id: string
          method: string | null
          no: number
          paid_on: string | null
          task_id: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'invoice_schedules_user_id_invoice_id_fkey'
            columns: ['user_id', 'invoice_id']
            isOneToOne: false
            referencedRelation: 'invoices'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'invoice_schedules_user_id_task_id_fkey'
            columns: ['user_id', 'task_id']
            isOneToOne: false
            referencedRelation: 'tasks'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      invoices: {
        Row: {
          body_no: number
          contact_id: string | null
          content: Json | null
          counterparty_key: string | null
          counterparty_name: string | null
          counterparty_vat: string | null
          created_at: string
          currency: string
          direction: Database['public']['Enums']['invoice_direction']
          document_id: string
          due_cents: number | null
          findings: Json
          id: string
          is_automatic: boolean
          issued_on: string
          kind: Database['public']['Enums']['invoice_kind']
          net_cents: number | null
          number: string
          paid_on: string | null
          payment_noted_at: string | null
          source: Database['public']['Enums']['invoice_source']
          total_cents: number
          type_code: string
          user_id: string
          vat_cents: number | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'invoices_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'invoices_user_id_document_id_fkey'
            columns: ['user_id', 'document_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      mail_accounts: {
        Row: {
          created_at: string
          daily_cap: number
          from_address: string
          from_name: string | null
          host: string | null
          id: string
          is_certified: boolean
          is_shared: boolean
          last_error: Database['public']['Enums']['mail_error'] | null
          last_error_at: string | null
          last_error_reply: string | null
          last_success_at: string | null
          login_expired_at: string | null
          port: number | null
          provider: Database['public']['Enums']['mail_provider'] | null
          security: Database['public']['Enums']['mail_security'] | null
          signature: string | null
          user_id: string
          username: string | null
        }
        Insert: Record<string, never>
        Update: {
          from_name?: string | null
          signature?: string | null
        }
        Relationships: []
      }
      mail_addresses: {
        Row: {
          created_at: string
          last_received_at: string | null
          last_refusal: Database['public']['Enums']['mail_refusal'] | null
          last_refused_at: string | null
          received: number
          refused: number
          renewed_at: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      mail_batches: {
        Row: {
          basis: Database['public']['Enums']['mail_basis']
          body: string
          cancelled_at: string | null
          channel: Database['public']['Enums']['consent_channel']
          created_at: string
          excluded: number
          exclusions: Json
          id: string
          key: string
          may_be_often: boolean
          may_take_days: boolean
          pause_reason: string | null
          paused_at: string | null
          recipients: number
          started_at: string | null
          subject: string
          template_id: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      mail_inboxes: {
        Row: {
          completed_at: string | null
          created_at: string
          fetched: number
          found: number
          host: string
          last_error: Database['public']['Enums']['mail_error'] | null
          last_error_at: string | null
          last_error_reply: string | null
          last_success_at: string | null
          port: number
          security: Database['public']['Enums']['mail_security']
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'mail_inboxes_user_id_fkey'
            columns: ['user_id']
            isOneToOne: true
            referencedRelation: 'mail_accounts'
            referencedColumns: ['user_id']
          },
        ]
      }
      mail_reports: {
        Row: {
          at: string
          created_at: string
          id: string
          identifier: string | null
          is_external: boolean
          kind: Database['public']['Enums']['mail_report_kind']
          outgoing_id: string
          sha256: string
          status: string | null
          storage_path: string | null
          told: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'mail_reports_user_id_outgoing_id_fkey'
            columns: ['user_id', 'outgoing_id']
            isOneToOne: false
            referencedRelation: 'outgoing_mails'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      mail_suppressions: {
        Row: {
          address: string
          created_at: string
          id: string
          reason: Database['public']['Enums']['mail_suppression_reason']
          user_id: string
        }
        Insert: {
          address: string
          id?: string
          user_id?: string
        }
        Update: Record<string, never>
        Relationships: []
      }
      mail_templates: {
        Row: {
          body: string
          created_at: string
          id: string
          name: string
          subject: string | null
          updated_at: string
          user_id: string
        }
        Insert: {
          body: string
          id?: string
          name: string
          subject?: string | null
          user_id?: string
        }
        Update: {
          body?: string
          name?: string
          subject?: string | null
        }
        Relationships: []
      }
      mail_thread_letters: {
        Row: {
          outgoing_id: string
          reference_ids: string[]
          thread_id: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'mail_thread_letters_user_id_outgoing_id_fkey'
            columns: ['user_id', 'outgoing_id']
            isOneToOne: true
            referencedRelation: 'outgoing_mails'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'mail_thread_letters_user_id_thread_id_fkey'
            columns: ['user_id', 'thread_id']
            isOneToOne: false
            referencedRelation: 'mail_threads'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      mail_threads: {
        Row: {
          contact_id: string | null
          created_at: string
          deal_id: string | null
          has_warnings: boolean
          id: string
          invoice_id: string | null
          is_done: boolean
          is_sender_ignored: boolean
          kind: Database['public']['Enums']['mail_kind']
          last_at: string
          party: string | null
          party_name: string | null
          snippet: string
          subject: string
          suggested_thread_id: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: {
          is_done?: boolean
          is_sender_ignored?: boolean
        }
        Relationships: [
          {
            foreignKeyName: 'mail_threads_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'mail_threads_user_id_deal_id_fkey'
            columns: ['user_id', 'deal_id']
            isOneToOne: false
            referencedRelation: 'deals'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'mail_threads_user_id_invoice_id_fkey'
            columns: ['user_id', 'invoice_id']
            isOneToOne: false
            referencedRelation: 'invoices'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'mail_threads_user_id_suggested_thread_id_fkey'
            columns: ['user_id', 'suggested_thread_id']
            isOneToOne: false
            referencedRelation: 'mail_threads'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      memories: {
        Row: {
          body: string
          contact_id: string | null
          created_at: string
          expires_at: string | null
          id: string
          importance: number
          kind: Database['public']['Enums']['memory_kind']
          last_used_at: string | null
          origin: Database['public']['Enums']['memory_origin']
          source: Database['public']['Enums']['memory_source']
          source_id: string | null
          source_quote: string | null
          state: Database['public']['Enums']['memory_state']
          stems: string | null
          superseded_by: string | null
          topic: string | null
          updated_at: string
          user_id: string
          uses: number
          words: string | null
        }
        Insert: Record<string, never>
        Update: {
          contact_id?: string | null
          expires_at?: string | null
          importance?: number
          kind?: Database['public']['Enums']['memory_kind']
        }
        Relationships: [
          {
            foreignKeyName: 'memories_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'memories_user_id_superseded_by_fkey'
            columns: ['user_id', 'superseded_by']
            isOneToOne: false
            referencedRelation: 'memories'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      memory_settings: {
        Row: {
          in_new_chats: boolean
          is_active: boolean
          user_id: string
        }
        Insert: {
          in_new_chats?: boolean
          is_active?: boolean
          user_id?: string
        }
        Update: {
          in_new_chats?: boolean
          is_active?: boolean
          user_id?: string
        }
        Relationships: []
      }
      memory_uses: {
        Row: {
          created_at: string
          memory_id: string
          message_id: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'memory_uses_user_id_memory_id_fkey'
            columns: ['user_id', 'memory_id']
            isOneToOne: false
            referencedRelation: 'memories'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'memory_uses_user_id_message_id_fkey'
            columns: ['user_id', 'message_id']
            isOneToOne: false
            referencedRelation: 'messages'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      merge_log: {
        Row: {
          changes: Json
          choices: Json
          created_at: string
          id: string
          loser_id: string | null
          loser_name: string
          undone_at: string | null
          user_id: string
          winner_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'merge_log_user_id_loser_id_fkey'
            columns: ['user_id', 'loser_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'merge_log_user_id_winner_id_fkey'
            columns: ['user_id', 'winner_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      message_feedback: {
        Row: {
          created_at: string
          message_id: string
          reason: string | null
          score: number
          user_id: string
        }
        Insert: {
          message_id: string
          reason?: string | null
          score: number
          user_id?: string
        }
        Update: {
          message_id?: string
          reason?: string | null
          score?: number
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'message_feedback_user_id_message_id_fkey'
            columns: ['user_id', 'message_id']
            isOneToOne: true
            referencedRelation: 'messages'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      messages: {
        Row: {
          agent: string | null
          attachments: string[]
          client_key: string | null
          content: string
          conversation_id: string
          cost: number | null
          created_at: string
          error_code: string | null
          finished_at: string | null
          hold_id: string | null
          id: string
          mode: string | null
          model: string | null
          parent_id: string | null
          picked: Json | null
          quote: number | null
          refs: Json
          role: string
          status: Database['public']['Enums']['message_status']
          suggestions: Json
          tokens_in: number | null
          tokens_out: number | null
          unverified: Json
          user_id: string
          views: Json
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'messages_user_id_conversation_id_fkey'
            columns: ['user_id', 'conversation_id']
            isOneToOne: false
            referencedRelation: 'conversations'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'messages_user_id_conversation_id_parent_id_fkey'
            columns: ['user_id', 'conversation_id', 'parent_id']
            isOneToOne: false
            referencedRelation: 'messages'
            referencedColumns: ['user_id', 'conversation_id', 'id']
          },
        ]
      }
      notes: {
        Row: {
          body: string
          contact_id: string
          created_at: string
          deleted_at: string | null
          id: string
          updated_at: string
          user_id: string
        }
        Insert: {
          body: string
          contact_id: string
          id?: string
          user_id?: string
        }
        Update: {
          body?: string
          deleted_at?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'notes_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      notification_prefs: {
        Row: {
          category: Database['public']['Enums']['notification_category']
          channel: Database['public']['Enums']['notification_channel']
          is_enabled: boolean
          user_id: string
        }
        Insert: {
          category: Database['public']['Enums']['notification_category']
          channel: Database['public']['Enums']['notification_channel']
          is_enabled: boolean
          user_id?: string
        }
        Update: {
          category?: Database['public']['Enums']['notification_category']
          channel?: Database['public']['Enums']['notification_channel']
          is_enabled?: boolean
          user_id?: string
        }
        Relationships: []
      }
      notification_settings: {
        Row: {
          briefed_on: string | null
          briefing_at: string
          digest: Database['public']['Enums']['notification_digest']
          muted: string[]
          quiet_from: string | null
          quiet_to: string | null
          user_id: string
          zone: string
        }
        Insert: {
          briefing_at?: string
          digest?: Database['public']['Enums']['notification_digest']
          muted?: string[]
          quiet_from?: string | null
          quiet_to?: string | null
          user_id?: string
          zone?: string
        }
        Update: {
          briefing_at?: string
          digest?: Database['public']['Enums']['notification_digest']
          muted?: string[]
          quiet_from?: string | null
          quiet_to?: string | null
          user_id?: string
          zone?: string
        }
        Relationships: []
      }
      notifications: {
        Row: {
          action_url: string | null
          batch_count: number
          batch_key: string | null
          category: Database['public']['Enums']['notification_category']
          created_at: string
          dedupe_key: string | null
          entity_id: string | null
          entity_type: string | null
          id: string
          is_read: boolean
          kind: string
          message: string
          read_at: string | null
          title: string
          type: Database['public']['Enums']['notification_type']
          user_id: string
        }
        Insert: Record<string, never>
        Update: {
          is_read?: boolean
          read_at?: string | null
        }
        Relationships: []
      }
      order_refunds: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'order_refunds_order_id_fkey'
            columns: ['order_id']
            isOneToOne: true
            referencedRelation: 'credit_orders'
            referencedColumns: ['id']
          },
        ]
      }
      outgoing_mails: {
        Row: {
          attaches_invoice: boolean
          attempts: number
          basis: Database['public']['Enums']['mail_basis']
          batch_id: string | null
          body: string
          contact_id: string
          created_at: string
          document_ids: string[]
          error: Database['public']['Enums']['mail_error'] | null
          expires_at: string
          id: string
          invoice_id: string | null
          is_at_once: boolean
          is_automatic: boolean
          is_certified: boolean
          key: string
          leased_until: string | null
          message_id: string
          more_invoice_ids: string[]
          not_before: string
          recipient: string
          reply: string | null
          sale_id: string | null
          sent_at: string | null
          state: Database['public']['Enums']['mail_state']
          storage_path: string | null
          subject: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'outgoing_mails_user_id_batch_id_fkey'
            columns: ['user_id', 'batch_id']
            isOneToOne: false
            referencedRelation: 'mail_batches'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'outgoing_mails_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      packs: {
        Row: {
          badge: string | null
          bonus: number
          credits: number
          currency: string
          description: string
          features: string[]
          id: string
          name: string
          popular: boolean
          position: number
          price_cents: number
          store_name: string
          version: number
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'packs_version_fkey'
            columns: ['version']
            isOneToOne: false
            referencedRelation: 'catalog_versions'
            referencedColumns: ['version']
          },
        ]
      }
      payment_alerts: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'payment_alerts_event_id_fkey'
            columns: ['event_id']
            isOneToOne: false
            referencedRelation: 'payment_events'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'payment_alerts_order_id_fkey'
            columns: ['order_id']
            isOneToOne: false
            referencedRelation: 'credit_orders'
            referencedColumns: ['id']
          },
        ]
      }
      payment_events: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'payment_events_order_id_fkey'
            columns: ['order_id']
            isOneToOne: false
            referencedRelation: 'credit_orders'
            referencedColumns: ['id']
          },
        ]
      }
      plans: {
        Row: {
          badge: string | null
          credits: number
          currency: string
          features: string[]
          highlight: boolean
          id: string
          name: string
          period: Database['public']['Enums']['plan_period']
          position: number
          price_cents: number
          savings: string | null
          version: number
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'plans_version_fkey'
            columns: ['version']
            isOneToOne: false
            referencedRelation: 'catalog_versions'
            referencedColumns: ['version']
          },
        ]
      }
      privacy_choices: {
        Row: {
          created_at: string
          id: number
          is_allowed: boolean
          purpose: Database['public']['Enums']['privacy_purpose']
          user_id: string
          wording: string
        }
        Insert: {
          is_allowed: boolean
          purpose: Database['public']['Enums']['privacy_purpose']
          user_id?: string
          wording: string
        }
        Update: Record<string, never>
        Relationships: []
      }
      profiles: {
        Row: {
          account_holder: string | null
          activity: string | null
          address: Json | null
          ateco: string | null
          avatar_url: string | null
          business_name: string | null
          business_phone: string | null
          created_at: string
          deletion_due_at: string | null
          full_name: string | null
          goal: string | null
          iban: string | null
          limited_since: string | null
          logo_url: string | null
          onboarding_completed: boolean
          onboarding_step: number
          pec: string | null
          sdi_code: string | null
          tax_code: string | null
          tax_regime: Database['public']['Enums']['tax_regime'] | null
          user_id: string
          vat_number: string | null
          work_days: number[]
          work_from: string
          work_to: string
        }
        Insert: Record<string, never>
        Update: {
          account_holder?: string | null
          activity?: string | null
          address?: Json | null
          ateco?: string | null
          avatar_url?: string | null
          business_name?: string | null
          business_phone?: string | null
          full_name?: string | null
          goal?: string | null
          iban?: string | null
          logo_url?: string | null
          onboarding_completed?: boolean
          onboarding_step?: number
          pec?: string | null
          sdi_code?: string | null
          tax_code?: string | null
          tax_regime?: Database['public']['Enums']['tax_regime'] | null
          vat_number?: string | null
          work_days?: number[]
          work_from?: string
          work_to?: string
        }
        Relationships: []
      }
      projects: {
        Row: {
          budget_cents: number | null
          color: string | null
          contact_id: string | null
          created_at: string
          deleted_at: string | null
          due_on: string | null
          id: string
          name: string
          note: string | null
          origin: string
          starts_on: string | null
          status: Database['public']['Enums']['project_status']
          user_id: string
        }
        Insert: {
          budget_cents?: number | null
          color?: string | null
          contact_id?: string | null
          due_on?: string | null
          id?: string
          name: string
          note?: string | null
          origin?: string
          starts_on?: string | null
          status?: Database['public']['Enums']['project_status']
          user_id?: string
        }
        Update: {
          budget_cents?: number | null
          color?: string | null
          contact_id?: string | null
          deleted_at?: string | null
          due_on?: string | null
          name?: string
          note?: string | null
          starts_on?: string | null
          status?: Database['public']['Enums']['project_status']
        }
        Relationships: [
          {
            foreignKeyName: 'projects_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      push_subscriptions: {
        Row: {
          auth_secret: string
          created_at: string
          endpoint: string
          id: string
          p256dh: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      received_mails: {
        Row: {
          at: string
          body: string
          bytes: number
          certificate: Json | null
          contact_id: string | null
          created_at: string
          dmarc: Database['public']['Enums']['mail_verdict'] | null
          envelope_id: string | null
          files: Json
          folder: Database['public']['Enums']['mail_folder']
          folder_name: string
          id: string
          invitation: Json | null
          is_answered: boolean
          is_by_address: boolean
          is_forwarded: boolean
          is_whole: boolean
          kind: Database['public']['Enums']['mail_kind']
          message_id: string
          message_uid: number
          party: string | null
          quoted: string
          recipients: string[]
          reference_ids: string[]
          reply_to: string | null
          sender: string | null
          sender_name: string | null
          sha256: string
          storage_path: string | null
          subject: string
          thread_id: string
          uidvalidity: number
          user_id: string
          warnings: Json
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'received_mails_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'received_mails_user_id_thread_id_fkey'
            columns: ['user_id', 'thread_id']
            isOneToOne: false
            referencedRelation: 'mail_threads'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      runs: {
        Row: {
          conversation_id: string
          created_at: string
          finished_at: string | null
          heartbeat_at: string
          id: string
          message_id: string
          seq: number
          state: string
          stop_requested_at: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'runs_user_id_conversation_id_message_id_fkey'
            columns: ['user_id', 'conversation_id', 'message_id']
            isOneToOne: true
            referencedRelation: 'messages'
            referencedColumns: ['user_id', 'conversation_id', 'id']
          },
        ]
      }
      sdi_notices: {
        Row: {
          at: string
          correct_by: string | null
          created_at: string
          document_id: string | null
          file_name: string
          id: string
          is_refused: boolean
          kind: Database['public']['Enums']['sdi_notice_kind']
          sentence: string
          sha256: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'sdi_notices_user_id_document_id_fkey'
            columns: ['user_id', 'document_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      segments: {
        Row: {
          created_at: string
          filter: Json
          id: string
          name: string
          user_id: string
        }
        Insert: {
          filter: Json
          id?: string
          name: string
          user_id?: string
        }
        Update: {
          filter?: Json
          name?: string
        }
        Relationships: []
      }
      site_settings: {
        Row: {
          key: string
          updated_at: string
          value: Json
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      stages: {
        Row: {
          created_at: string
          id: string
          kind: Database['public']['Enums']['stage_kind']
          name: string
          position: number
          probability: number
          user_id: string
        }
        Insert: Record<string, never>
        Update: {
          name?: string
          position?: number
          probability?: number
        }
        Relationships: []
      }
      tags: {
        Row: {
          color: string | null
          created_at: string
          id: string
          name: string
          touch_days: number | null
          user_id: string
        }
        Insert: {
          color?: string | null
          id?: string
          name: string
          touch_days?: number | null
          user_id?: string
        }
        Update: {
          color?: string | null
          name?: string
          touch_days?: number | null
        }
        Relationships: []
      }
      task_events: {
        Row: {
          at: string
          created_at: string
          data: Json
          id: string
          kind: Database['public']['Enums']['task_event_kind']
          task_id: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'task_events_user_id_task_id_fkey'
            columns: ['user_id', 'task_id']
            isOneToOne: false
            referencedRelation: 'tasks'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      tasks: {
        Row: {
          completed_at: string | null
          contact_id: string | null
          created_at: string
          deal_id: string | null
          deleted_at: string | null
          due_at: string | null
          due_is_allday: boolean
          id: string
          next_remind_at: string | null
          notes: string | null
          origin: string
          parent_id: string | null
          position: string
          previous_id: string | null
          priority: number
          project_id: string | null
          remind_at: string[]
          reminded_at: string | null
          repeat_from: Database['public']['Enums']['task_repeat_from']
          rrule: string | null
          series_id: string | null
          someday: boolean
          state: Database['public']['Enums']['task_state']
          title: string
          updated_at: string
          user_id: string
          waiting_for: string | null
        }
        Insert: {
          completed_at?: string | null
          contact_id?: string | null
          deal_id?: string | null
          due_at?: string | null
          due_is_allday?: boolean
          id?: string
          notes?: string | null
          origin?: string
          parent_id?: string | null
          position?: string
          previous_id?: string | null
          priority?: number
          project_id?: string | null
          remind_at?: string[]
          repeat_from?: Database['public']['Enums']['task_repeat_from']
          rrule?: string | null
          series_id?: string | null
          someday?: boolean
          state?: Database['public']['Enums']['task_state']
          title: string
          user_id?: string
          waiting_for?: string | null
        }
        Update: {
          completed_at?: string | null
          contact_id?: string | null
          deal_id?: string | null
          deleted_at?: string | null
          due_at?: string | null
          due_is_allday?: boolean
          notes?: string | null
          parent_id?: string | null
          position?: string
          priority?: number
          project_id?: string | null
          remind_at?: string[]
          repeat_from?: Database['public']['Enums']['task_repeat_from']
          rrule?: string | null
          someday?: boolean
          state?: Database['public']['Enums']['task_state']
          title?: string
          waiting_for?: string | null
        }
        Relationships: [
          {
            foreignKeyName: 'tasks_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'tasks_user_id_deal_id_fkey'
            columns: ['user_id', 'deal_id']
            isOneToOne: false
            referencedRelation: 'deals'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'tasks_user_id_parent_id_fkey'
            columns: ['user_id', 'parent_id']
            isOneToOne: false
            referencedRelation: 'tasks'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'tasks_user_id_previous_id_fkey'
            columns: ['user_id', 'previous_id']
            isOneToOne: true
            referencedRelation: 'tasks'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'tasks_user_id_project_id_fkey'
            columns: ['user_id', 'project_id']
            isOneToOne: false
            referencedRelation: 'projects'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'tasks_user_id_waiting_for_fkey'
            columns: ['user_id', 'waiting_for']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      tax_deadlines: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      tax_parameters: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      tool_calls: {
        Row: {
          args: Json
          conversation_id: string
          created_at: string
          decided_at: string | null
          error_code: string | null
          expires_at: string
          from_data: boolean
          id: string
          message_id: string
          needs_count: number | null
          preview: Json
          result: Json | null
          risk: Database['public']['Enums']['tool_call_risk']
          rules: Json
          seq: number
          state: Database['public']['Enums']['tool_call_state']
          tool: string
          undo: Json | null
          undo_until: string | null
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'tool_calls_user_id_conversation_id_message_id_fkey'
            columns: ['user_id', 'conversation_id', 'message_id']
            isOneToOne: false
            referencedRelation: 'messages'
            referencedColumns: ['user_id', 'conversation_id', 'id']
          },
        ]
      }
      user_roles: {
        Row: {
          granted_at: string
          role: Database['public']['Enums']['app_role']
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      waiting_list: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      whatsapp_accounts: {
        Row: {
          created_at: string
          display_number: string | null
          history_progress: number
          history_state: Database['public']['Enums']['whatsapp_history_state'] | null
          id: string
          is_by_app: boolean
          is_on_phone: boolean
          last_delivery_at: string | null
          last_error: string | null
          last_error_at: string | null
          last_error_code: number | null
          last_success_at: string | null
          paused_until: string | null
          people_a_day: number
          phone_number_id: string
          portfolio: string
          quality: string | null
          state: Database['public']['Enums']['whatsapp_account_state']
          templates_stopped_until: string | null
          user_id: string
          waba_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      whatsapp_messages: {
        Row: {
          answers_id: string | null
          at: string
          attempts: number
          batch_id: string | null
          body: string
          channel_id: string
          contact_id: string
          content: Json
          created_at: string
          delivered_at: string | null
          direction: Database['public']['Enums']['interaction_direction']
          document_id: string | null
          error: Database['public']['Enums']['whatsapp_error'] | null
          error_code: number | null
          error_detail: string | null
          expires_at: string | null
          id: string
          invoice_id: string | null
          is_automatic: boolean
          is_billable: boolean | null
          is_outside_window: boolean
          is_paused: boolean
          key: string | null
          kind: string
          leased_until: string | null
          media_state: Database['public']['Enums']['whatsapp_media_state'] | null
          message_id: string | null
          not_before: string | null
          price_category: string | null
          price_kind: string | null
          read_at: string | null
          refers_to: string | null
          sent_at: string | null
          source: Database['public']['Enums']['whatsapp_source']
          state: Database['public']['Enums']['whatsapp_state'] | null
          storage_path: string | null
          summary: string
          template: Json | null
          transcript: string | null
          transcript_attempts: number
          transcript_by: string | null
          transcript_error: Database['public']['Enums']['transcript_error'] | null
          transcript_retries: number
          transcript_state: Database['public']['Enums']['transcript_state'] | null
          user_id: string
          voice_s: number | null
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: [
          {
            foreignKeyName: 'whatsapp_messages_user_id_answers_id_fkey'
            columns: ['user_id', 'answers_id']
            isOneToOne: false
            referencedRelation: 'whatsapp_messages'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'whatsapp_messages_user_id_batch_id_fkey'
            columns: ['user_id', 'batch_id']
            isOneToOne: false
            referencedRelation: 'mail_batches'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'whatsapp_messages_user_id_channel_id_fkey'
            columns: ['user_id', 'channel_id']
            isOneToOne: false
            referencedRelation: 'contact_channels'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'whatsapp_messages_user_id_contact_id_fkey'
            columns: ['user_id', 'contact_id']
            isOneToOne: false
            referencedRelation: 'contacts'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'whatsapp_messages_user_id_document_id_fkey'
            columns: ['user_id', 'document_id']
            isOneToOne: false
            referencedRelation: 'documents'
            referencedColumns: ['user_id', 'id']
          },
          {
            foreignKeyName: 'whatsapp_messages_user_id_invoice_id_fkey'
            columns: ['user_id', 'invoice_id']
            isOneToOne: false
            referencedRelation: 'invoices'
            referencedColumns: ['user_id', 'id']
          },
        ]
      }
      whatsapp_rates: {
        Row: Record<string, never>
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
      whatsapp_settings: {
        Row: {
          answer_text: string | null
          answer_until: string | null
          answer_when: Database['public']['Enums']['whatsapp_answer_when']
          user_id: string
          voice_credits: number | null
        }
        Insert: {
          answer_text?: string | null
          answer_until?: string | null
          answer_when?: Database['public']['Enums']['whatsapp_answer_when']
          user_id?: string
          voice_credits?: number | null
        }
        Update: {
          answer_text?: string | null
          answer_until?: string | null
          answer_when?: Database['public']['Enums']['whatsapp_answer_when']
          user_id?: string
          voice_credits?: number | null
        }
        Relationships: []
      }
      whatsapp_templates: {
        Row: {
          body: string
          category: string
          created_at: string
          footer: string | null
          id: string
          is_named: boolean
          is_usable: boolean
          language: string
          name: string
          places: string[]
          quality: string | null
          reason: string | null
          state: string
          template_id: string
          user_id: string
        }
        Insert: Record<string, never>
        Update: Record<string, never>
        Relationships: []
      }
    }
    Views: {
      contact_list: {
        Row: {
          address: Json | null
          business_name: string | null
          company_id: string | null
          company_name: string | null
          consents: Json | null
          created_at: string | null
          email: string | null
          first_name: string | null
          id: string | null
          job_title: string | null
          last_interaction_at: string | null
          last_name: string | null
          late_cents: number | null
          name: string | null
          next_task_at: string | null
          next_touch_at: string | null
          origin: Database['public']['Enums']['contact_origin'] | null
          owed_cents: number | null
          owed_currencies: string[] | null
          pec: string | null
          phone: string | null
          regime: string | null
          sdi_code: string | null
          snoozed_until: string | null
          tag_ids: string[] | null
          tags: string[] | null
          tax_code: string | null
          touch_days: number | null
          type: Database['public']['Enums']['contact_type'] | null
          updated_at: string | null
          user_id: string | null
          vat_number: string | null
          website: string | null
        }
        Relationships: []
      }
      insight_kinds: {
        Row: {
          action: string | null
          category: string | null
          kind: string | null
          label: string | null
          rest_days: number | null
          worth_cents: number | null
        }
        Relationships: []
      }
      invoice_parts: {
        Row: {
          cents: number | null
          counts: boolean | null
          currency: string | null
          direction: Database['public']['Enums']['invoice_direction'] | null
          document_id: string | null
          due_on: string | null
          iban: string | null
          id: string | null
          invoice_id: string | null
          is_late: boolean | null
          issued_on: string | null
          method: string | null
          no: number | null
          paid_on: string | null
          task_id: string | null
          user_id: string | null
        }
        Relationships: []
      }
      invoice_register: {
        Row: {
          body_no: number | null
          contact_id: string | null
          contact_name: string | null
          content: Json | null
          counterparty_name: string | null
          counterparty_vat: string | null
          created_at: string | null
          currency: string | null
          deleted_at: string | null
          direction: Database['public']['Enums']['invoice_direction'] | null
          document_id: string | null
          filename: string | null
          findings: Json | null
          id: string | null
          is_automatic: boolean | null
          issued_on: string | null
          kind: Database['public']['Enums']['invoice_kind'] | null
          late_cents: number | null
          net_cents: number | null
          next_due_on: string | null
          number: string | null
          open_cents: number | null
          paid_cents: number | null
          paid_on: string | null
          payable_cents: number | null
          sign: number | null
          source: Database['public']['Enums']['invoice_source'] | null
          split_vat_cents: number | null
          state: string | null
          total_cents: number | null
          twin: Json | null
          type_code: string | null
          user_id: string | null
          vat_cents: number | null
          withheld_cents: number | null
        }
        Relationships: []
      }
      notification_kinds: {
        Row: {
          action: string | null
          category: Database['public']['Enums']['notification_category'] | null
          channels: string[] | null
          is_urgent: boolean | null
          kind: string | null
          label: string | null
          list: string | null
          many: string | null
          type: Database['public']['Enums']['notification_type'] | null
          window_minutes: number | null
        }
        Relationships: []
      }
      retention_rules: {
        Row: {
          every: string | null
          is_personal: boolean | null
          outcome: string | null
          period: string | null
          reason: string | null
          rule: string | null
          tables: string[] | null
          title: string | null
        }
        Relationships: []
      }
      timeline: {
        Row: {
          at: string | null
          body: string | null
          contact_id: string | null
          data: Json | null
          id: string | null
          kind: string | null
          ref_id: string | null
          ref_type: string | null
          title: string | null
          user_id: string | null
        }
        Relationships: []
      }
    }
    Functions: {
      add_demo_data: {
        Args: never
        Returns: Json
      }
      add_subtasks: {
        Args: {
          _parent: string
          _titles: string[]
        }
        Returns: Database['public']['Tables']['tasks']['Row'][]
      }
      add_tax_deadlines: {
        Args: never
        Returns: number
      }
      admin_accounts: {
        Args: {
          _before?: string
          _before_id?: string
          _search?: string
        }
        Returns: {
          id: string
          email: string
          name: string
          created_at: string
          last_seen_at: string
          is_admin: boolean
          is_verified: boolean
          has_factor: boolean
          credits: number
          is_suspended: boolean
          is_deleting: boolean
        }[]
      }
      admin_ai_rates: {
        Args: never
        Returns: {
          host: string
          model: string
          valid_from: string
          input_euros: number
          output_euros: number
          minute_euros: number
          source: string
        }[]
      }
      admin_answer_idea: {
        Args: {
          _id: number
          _item_id: number
          _reply?: string
        }
        Returns: undefined
      }
      admin_ask_for_restore_test: {
        Args: {
          _reason: string
        }
        Returns: undefined
      }
      admin_ask_qa: {
        Args: {
          _kind: string
        }
        Returns: string
      }
      admin_breaches: {
        Args: never
        Returns: {
          id: number
          found_at: string
          title: string
          facts: string
          people: number
          risk: string
          measures: string
          authority_told_at: string
          people_told_at: string
          reason_not: string
          is_open: boolean
          due_at: string
        }[]
      }
      admin_cancel_qa: {
        Args: {
          _id: string
        }
        Returns: boolean
      }
      admin_decide_error: {
        Args: {
          _decision: string
          _id: number
          _muted_until?: number
          _reason: string
          _release: string
        }
        Returns: string
      }
      admin_error_groups: {
        Args: {
          _hours: number
          _state: string
        }
        Returns: {
          id: number
          message: string
          place: string
          state: string
          is_back: boolean
          count: number
          before: number
          people: number
          first_seen_at: string
          last_seen_at: string
          first_release: string
          last_release: string
          muted_until: number
          source: string
          last_request_id: string
        }[]
      }
      admin_error_trace: {
        Args: {
          _id: number
        }
        Returns: Json
      }
      admin_grant_credits: {
        Args: {
          _amount: number
          _key: string
          _reason: string
          _user_id: string
        }
        Returns: undefined
      }
      admin_guardrail: {
        Args: never
        Returns: Json
      }
      admin_judge_qa: {
        Args: {
          _kind: string
          _note: string
          _outcome: string
          _place: string
          _route: string
          _until?: string
        }
        Returns: string
      }
      admin_keep_qa_run: {
        Args: {
          _items: Json
          _run: Json
        }
        Returns: boolean
      }
      admin_keys: {
        Args: never
        Returns: {
          name: string
          used_since: string
          due_at: string
          light: string
        }[]
      }
      admin_overview: {
        Args: never
        Returns: Json
      }
      admin_payment_events: {
        Args: {
          _only_open: boolean
        }
        Returns: {
          id: string
          type: string
          received_at: string
          outcome: string
          attempts: number
          error: string
          order_id: string
          is_open: boolean
        }[]
      }
      admin_processing_activities: {
        Args: never
        Returns: {
          id: number
          name: string
          role: string
          purpose: string
          legal_basis: string
          subjects: string
          data: string
          recipients: string
          transfers: string
          retention: string
          measures: string
          ended_on: string
          updated_at: string
        }[]
      }
      admin_qa: {
        Args: {
          _kind: string
        }
        Returns: Json
      }
      admin_qa_picture: {
        Args: {
          _item_id: number
        }
        Returns: string
      }
      admin_replay_event: {
        Args: {
          _id: string
          _reason: string
        }
        Returns: string
      }
      admin_report: {
        Args: {
          _hours: number
          _name: string
        }
        Returns: Json
      }
      admin_roadmap: {
        Args: never
        Returns: Json
      }
      admin_set_admin: {
        Args: {
          _is_admin: boolean
          _reason: string
          _user_id: string
        }
        Returns: undefined
      }
      admin_set_ai_rate: {
        Args: {
          _host: string
          _input_euros?: number
          _minute_euros?: number
          _model: string
          _output_euros?: number
          _source: string
          _valid_from: string
        }
        Returns: undefined
      }
      admin_set_guardrail: {
        Args: {
          _change: Json
          _reason: string
        }
        Returns: undefined
      }
      admin_set_tax_parameter: {
        Args: {
          _name: string
          _source: string
          _valid_from: string
          _value: number
        }
        Returns: undefined
      }
      admin_suspend_account: {
        Args: {
          _is_suspended: boolean
          _reason: string
          _user_id: string
        }
        Returns: undefined
      }
      admin_sweep_holds: {
        Args: {
          _reason: string
        }
        Returns: number
      }
      admin_take_over_alarm: {
        Args: {
          _report: string
          _rule: string
        }
        Returns: undefined
      }
      admin_tax_parameters: {
        Args: never
        Returns: {
          name: string
          valid_from: string
          value: number
          source: string
        }[]
      }
      admin_uptime: {
        Args: never
        Returns: Json
      }
      admin_write_breach: {
        Args: {
          _authority_told_at?: string
          _facts: string
          _found_at: string
          _id?: number
          _measures: string
          _people: number
          _people_told_at?: string
          _reason_not: string
          _risk: string
          _title: string
        }
        Returns: number
      }
      admin_write_incident: {
        Args: {
          _id?: number
          _parts?: string[]
          _state: string
          _text: string
          _title?: string
        }
        Returns: number
      }
      admin_write_processing_activity: {
        Args: {
          _activity: Json
          _reason: string
        }
        Returns: number
      }
      admin_write_roadmap_item: {
        Args: {
          _due_on?: string
          _error_group_id?: number
          _id?: number
          _is_public?: boolean
          _kind?: string
          _state: string
          _text: string
          _title: string
        }
        Returns: number
      }
      agent_week: {
        Args: never
        Returns: Json
      }
      agents_stopped: {
        Args: never
        Returns: Json
      }
      ai_notice: {
        Args: {
          _contact_id?: string
          _project_id?: string
        }
        Returns: {
          step: string
          mode: string
          provider: string
          model: string
          times: number
          reviewed: number
          first_at: string
          last_at: string
        }[]
      }
      ai_usage_by_month: {
        Args: never
        Returns: {
          month: string
          work: string
          mode: string
          provider: string
          host: string
          model: string
          answers: number
          tokens_in: number
          tokens_out: number
          credits: number
          last_at: string
        }[]
      }
      answer_insight: {
        Args: {
          _insight_id: string
          _reason?: string
          _state: Database['public']['Enums']['insight_state']
          _until?: string
        }
        Returns: undefined
      }
      answer_mail: {
        Args: {
          _body: string
          _contact_id: string
          _key: string
          _recipient: string
          _subject: string
          _thread_id: string
        }
        Returns: Database['public']['Tables']['outgoing_mails']['Row']
      }
      ask_documents: {
        Args: {
          _document_id?: string
          _limit?: number
          _question: string
        }
        Returns: {
          document_id: string
          filename: string
          page: number
          quote: string
          word_from: number
          word_to: number
          rank: number
        }[]
      }
      begin_import: {
        Args: {
          _consent?: Json
          _file_name: string
          _kind: Database['public']['Enums']['import_kind']
          _rejected?: number
          _total: number
        }
        Returns: string
      }
      business_suggestions: {
        Args: never
        Returns: {
          field: string
          value: Json
          number: string
          issued_on: string
          document_id: string
          sender: string
        }[]
      }
      calendar_secret: {
        Args: never
        Returns: string
      }
      campaign_progress: {
        Args: never
        Returns: {
          id: string
          channel: Database['public']['Enums']['consent_channel']
          subject: string
          recipients: number
          excluded: number
          created_at: string
          cancelled_at: string
          paused_at: string
          pause_reason: string
          waiting: number
          sent: number
          delivered: number
          read: number
          failed: number
          uncertain: number
          next_at: string
        }[]
      }
      campaign_recipients: {
        Args: {
          _id: string
        }
        Returns: {
          contact_id: string
          name: string
          state: string
          reason: string
          detail: string
          at: string
        }[]
      }
      cancel_campaign: {
        Args: {
          _id: string
        }
        Returns: Database['public']['Tables']['mail_batches']['Row']
      }
      cancel_mail: {
        Args: {
          _id: string
        }
        Returns: Database['public']['Tables']['outgoing_mails']['Row']
      }
      cancel_whatsapp: {
        Args: {
          _id: string
        }
        Returns: Database['public']['Tables']['whatsapp_messages']['Row']
      }
      catalog: {
        Args: never
        Returns: Json
      }
      close_contact_request: {
        Args: {
          _id: string
          _note?: string
          _outcome: Database['public']['Enums']['contact_request_outcome']
        }
        Returns: Database['public']['Tables']['contact_requests']['Row']
      }
      companies_named: {
        Args: {
          _name: string
        }
        Returns: string[]
      }
      complete_task: {
        Args: {
          _task_id: string
        }
        Returns: Json
      }
      confirm_field: {
        Args: {
          _box?: number[]
          _document_id: string
          _key: string
          _label?: string
          _page?: number
          _value: string
        }
        Returns: undefined
      }
      confirm_invoice: {
        Args: {
          _document_id: string
        }
        Returns: string
      }
      consent_timeline: {
        Args: never
        Returns: {
          at: string
          purpose: string
          is_allowed: boolean
          wording: string
          provider: string
          host: string
          in_eu: boolean
        }[]
      }
      contact_from_document: {
        Args: {
          _document_id: string
        }
        Returns: string
      }
      contact_money: {
        Args: {
          _contact_id: string
        }
        Returns: {
          contact_id: string
          name: string
          relation: string
          direction: Database['public']['Enums']['invoice_direction']
          currency: string
          open_cents: number
          late_cents: number
          late_since: string
          invoiced_net_cents: number
          invoiced_cents: number
          paid_cents: number
          paid_days: number
          paid_count: number
        }[]
      }
      contact_named_in: {
        Args: {
          _text: string
        }
        Returns: {
          id: string
          name: string
        }[]
      }
      continue_goal: {
        Args: {
          _budget: number
          _id: string
        }
        Returns: Database['public']['Tables']['goals']['Row']
      }
      credit_forecast: {
        Args: never
        Returns: {
          balance: number
          held: number
          used_30d: number
          per_day: number
          lasts_until: string
          next_expiry_at: string
          next_expiry_credits: number
        }[]
      }
      credit_overview: {
        Args: never
        Returns: {
          balance: number
          held: number
          next_expiry_at: string
          next_expiry_credits: number
          next_expiry_extends: boolean
          used_this_month: number
          low_threshold: number
          monthly_cap: number
        }[]
      }
      credit_statement: {
        Args: {
          _before?: number
          _limit?: number
        }
        Returns: {
          id: number
          created_at: string
          kind: Database['public']['Enums']['credit_entry_kind']
          account: Database['public']['Enums']['credit_account']
          amount: number
          balance_after: number
          ref_type: string
          ref_id: string
          reason: string
          lot_id: string
          lot_kind: Database['public']['Enums']['credit_lot_kind']
          lot_created_at: string
          lot_expires_at: string
          order_id: string
        }[]
      }
      decide_goal_steps: {
        Args: {
          _hashes: string[]
          _ids: string[]
          _is_approved: boolean
        }
        Returns: number
      }
      decide_mail: {
        Args: {
          _has_arrived: boolean
          _id: string
        }
        Returns: Database['public']['Tables']['outgoing_mails']['Row']
      }
      decide_thread: {
        Args: {
          _is_same: boolean
          _thread_id: string
        }
        Returns: string
      }
      decide_whatsapp: {
        Args: {
          _has_arrived: boolean
          _id: string
        }
        Returns: Database['public']['Tables']['whatsapp_messages']['Row']
      }
      delete_idea: {
        Args: {
          _id: number
        }
        Returns: undefined
      }
      document_counts: {
        Args: never
        Returns: Json
      }
      document_hits: {
        Args: {
          _document_id: string
          _query: string
        }
        Returns: {
          page: number
          word_from: number
          word_to: number
          box: number[]
        }[]
      }
      early_bird_seats: {
        Args: never
        Returns: number
      }
      edit_goal_step: {
        Args: {
          _body: string
          _id: string
          _subject: string
        }
        Returns: string
      }
      ensure_stages: {
        Args: never
        Returns: Database['public']['Tables']['stages']['Row'][]
      }
      erase_contact: {
        Args: {
          _contact_id: string
          _typed_name: string
          _with_mentions?: boolean
        }
        Returns: Database['public']['Tables']['contact_erasures']['Row']
      }
      export_contact: {
        Args: {
          _contact_id: string
        }
        Returns: Json
      }
      extend_contact_request: {
        Args: {
          _id: string
          _reason: string
        }
        Returns: Database['public']['Tables']['contact_requests']['Row']
      }
      find_contact_data: {
        Args: {
          _contact_id: string
        }
        Returns: {
          domain: string
          place: string
          label: string
          fate: string
          reason: string
          found: number
          since: string
          newest: Json
        }[]
      }
      find_duplicates: {
        Args: {
          _limit?: number
        }
        Returns: {
          a_id: string
          b_id: string
          score: number
          reasons: string[]
        }[]
      }
      finish_import: {
        Args: {
          _batch: string
        }
        Returns: Database['public']['Tables']['import_batches']['Row']
      }
      flat_rate_if: {
        Args: {
          _cash_cents: number
        }
        Returns: Json
      }
      forget: {
        Args: {
          _contact_id?: string
          _everything?: boolean
          _ids?: string[]
        }
        Returns: number
      }
      give_mandate: {
        Args: {
          _action: string
          _agent: string
          _autonomy: Database['public']['Enums']['goal_autonomy']
          _claims_interest?: boolean
          _ibans: string[]
          _last_tone: number
          _letter_budget?: number
          _letter_credits?: number
          _letter_style?: string
          _max_cents: number
          _max_recipients_day: number
          _skipped_steps?: string[]
          _uses_pec?: boolean
          _uses_whatsapp?: boolean
        }
        Returns: Database['public']['Tables']['agent_mandates']['Row']
      }
      has_role: {
        Args: {
          _role: string
          _user_id: string
        }
        Returns: boolean
      }
      hash: {
        Args: {
          _step: Database['public']['Tables']['goal_steps']['Row']
        }
        Returns: string
      }
      home_overview: {
        Args: never
        Returns: Json
      }
      import_contacts: {
        Args: {
          _batch: string
          _match?: string
          _rows: Json
        }
        Returns: Json
      }
      is_rrule: {
        Args: {
          _rrule: string
        }
        Returns: boolean
      }
      keep_memory: {
        Args: {
          _body?: string
          _id: string
        }
        Returns: Database['public']['Tables']['memories']['Row']
      }
      leave_out_of_register: {
        Args: {
          _document_id: string
          _is_left_out?: boolean
        }
        Returns: undefined
      }
      limit_processing: {
        Args: {
          _is_limited: boolean
        }
        Returns: string
      }
      link_document_contact: {
        Args: {
          _contact_id: string
          _document_id: string
        }
        Returns: undefined
      }
      link_parties: {
        Args: {
          _choices: Json
        }
        Returns: Json
      }
      listed_contacts: {
        Args: {
          _limit?: number
          _query: string
        }
        Returns: Database['public']['Views']['contact_list']['Row'][]
      }
      make_thread_deal: {
        Args: {
          _thread_id: string
        }
        Returns: string
      }
      mark_invoice_paid: {
        Args: {
          _invoice_id: string
          _paid_on: string
        }
        Returns: undefined
      }
      mark_schedule_paid: {
        Args: {
          _paid_on: string
          _schedule_id: string
        }
        Returns: undefined
      }
      merge_contacts: {
        Args: {
          _choices?: Json
          _loser: string
          _winner: string
        }
        Returns: string
      }
      month_packet: {
        Args: {
          _month: string
        }
        Returns: {
          owner: Json
          sums: Json
          findings: Json
          papers: Json
          invoices: Json
        }[]
      }
      move_goal: {
        Args: {
          _id: string
          _state: Database['public']['Enums']['goal_state']
        }
        Returns: Database['public']['Tables']['goals']['Row']
      }
      my_ideas: {
        Args: never
        Returns: {
          id: number
          title: string
          text: string
          state: string
          item_title: string
          reply: string
          answered_at: string
          created_at: string
        }[]
      }
      next_mail_time: {
        Args: {
          _at?: string
        }
        Returns: string
      }
      next_occurrence: {
        Args: {
          _after: string
          _keeps_month?: boolean
          _rrule: string
          _start: string
        }
        Returns: {
          at: string
          nth: number
        }[]
      }
      notification_choices: {
        Args: never
        Returns: Json
      }
      notifications: {
        Args: {
          _wallet: Database['public']['Tables']['credit_wallets']['Row']
        }
        Returns: Database['public']['Tables']['notifications']['Row'][]
      }
      own_ibans: {
        Args: never
        Returns: {
          iban: string
          invoices: number
        }[]
      }
      parties_to_link: {
        Args: never
        Returns: {
          party_key: string
          name: string
          vat_number: string
          tax_code: string
          document_ids: string[]
          invoices: number
          issued_cents: number
          received_cents: number
          latest_on: string
          candidates: Json
          is_sure: boolean
          draft: Json
        }[]
      }
      pause_memory: {
        Args: {
          _id: string
        }
        Returns: Database['public']['Tables']['memories']['Row']
      }
      place_of: {
        Args: {
          _position: string
        }
        Returns: number
      }
      plan_goal: {
        Args: {
          _agent: string
          _title: string
        }
        Returns: Database['public']['Tables']['goals']['Row']
      }
      position_at: {
        Args: {
          _place: number
        }
        Returns: string
      }
      preview_campaign: {
        Args: {
          _basis: Database['public']['Enums']['mail_basis']
          _body: string
          _contact_ids: string[]
          _subject: string
        }
        Returns: Json
      }
      preview_whatsapp_answer: {
        Args: {
          _text?: string
          _until?: string
          _when: Database['public']['Enums']['whatsapp_answer_when']
        }
        Returns: {
          body: string
          leaves_now: boolean
        }[]
      }
      preview_whatsapp_campaign: {
        Args: {
          _contact_ids: string[]
          _not_before?: string
          _template_id: string
          _values?: Json
          _with_often?: boolean
        }
        Returns: Json
      }
      queue_campaign: {
        Args: {
          _basis: Database['public']['Enums']['mail_basis']
          _body: string
          _contact_ids: string[]
          _key: string
          _not_before?: string
          _subject: string
          _typed?: number
        }
        Returns: Database['public']['Tables']['mail_batches']['Row']
      }
      queue_mail: {
        Args: {
          _attaches_invoice?: boolean
          _basis?: Database['public']['Enums']['mail_basis']
          _body: string
          _contact_id: string
          _document_ids?: string[]
          _invoice_id?: string
          _is_at_once?: boolean
          _is_automatic?: boolean
          _key: string
          _not_before?: string
          _recipient: string
          _sale_id?: string
          _subject: string
        }
        Returns: Database['public']['Tables']['outgoing_mails']['Row']
      }
      queue_whatsapp: {
        Args: {
          _body?: string
          _channel_id: string
          _document_id?: string
          _invoice_id?: string
          _is_at_once?: boolean
          _key: string
          _refers_to?: string
          _template_id?: string
          _values?: Json
        }
        Returns: Database['public']['Tables']['whatsapp_messages']['Row']
      }
      queue_whatsapp_campaign: {
        Args: {
          _contact_ids: string[]
          _key: string
          _not_before?: string
          _over_days?: boolean
          _template_id: string
          _typed?: number
          _values?: Json
          _with_often?: boolean
        }
        Returns: Database['public']['Tables']['mail_batches']['Row']
      }
      recall_memories: {
        Args: {
          _contact_id?: string
          _limit?: number
          _question: string
        }
        Returns: {
          id: string
          kind: Database['public']['Enums']['memory_kind']
          contact_id: string
          body: string
          source_quote: string
          rank: number
        }[]
      }
      record_consent: {
        Args: {
          _channel: Database['public']['Enums']['consent_channel']
          _contact_id: string
          _legal_basis?: string
          _purpose: Database['public']['Enums']['consent_purpose']
          _source?: string
          _state: Database['public']['Enums']['consent_state']
          _wording?: string
        }
        Returns: Database['public']['Tables']['consents']['Row']
      }
      refuse_document_contact: {
        Args: {
          _document_id: string
        }
        Returns: undefined
      }
      register_contact_request: {
        Args: {
          _contact_id: string
          _kind: Database['public']['Enums']['contact_request_kind']
          _received_by?: string
          _received_on?: string
        }
        Returns: Database['public']['Tables']['contact_requests']['Row']
      }
      related_mails: {
        Args: {
          _contact_id?: string
          _deal_id?: string
          _invoice_id?: string
          _limit?: number
        }
        Returns: {
          thread_id: string
          outgoing_id: string
          contact_id: string
          party: string
          subject: string
          snippet: string
          state: Database['public']['Enums']['mail_state']
          is_done: boolean
          has_warnings: boolean
          at: string
        }[]
      }
      remember: {
        Args: {
          _anyway?: boolean
          _body: string
          _contact_id?: string
          _kind: Database['public']['Enums']['memory_kind']
          _replaces?: string
          _topic?: string
        }
        Returns: Database['public']['Tables']['memories']['Row']
      }
      remind_of_schedules: {
        Args: {
          _days_before?: number
          _invoice_id: string
        }
        Returns: number
      }
      remove_demo_data: {
        Args: never
        Returns: Json
      }
      renew_calendar_secret: {
        Args: never
        Returns: string
      }
      reopen_task: {
        Args: {
          _task_id: string
        }
        Returns: Json
      }
      restore_notifications: {
        Args: {
          _ids: string[]
        }
        Returns: undefined
      }
      resume_campaign: {
        Args: {
          _id: string
        }
        Returns: Database['public']['Tables']['mail_batches']['Row']
      }
      retention_of: {
        Args: {
          _kind: Database['public']['Enums']['document_kind']
        }
        Returns: number
      }
      retention_register: {
        Args: never
        Returns: {
          rule: string
          title: string
          period: string
          reason: string
          outcome: string
          every_minutes: number
          last_run_at: string
          last_is_ok: boolean
          last_erased: number
          erased_30_days: number
          waiting: number
        }[]
      }
      retry_whatsapp_media: {
        Args: {
          _id: string
        }
        Returns: undefined
      }
      revoke_calendar_secret: {
        Args: never
        Returns: boolean
      }
      revoke_mandate: {
        Args: {
          _id: string
        }
        Returns: undefined
      }
      roadmap_board: {
        Args: never
        Returns: {
          id: number
          title: string
          text: string
          state: string
          due_on: string
          is_late: boolean
          done_at: string
          votes: number
          is_mine: boolean
        }[]
      }
      save_contact: {
        Args: {
          _contact: Json
        }
        Returns: string
      }
      search_contacts: {
        Args: {
          _limit?: number
          _query: string
        }
        Returns: {
          id: string
          type: Database['public']['Enums']['contact_type']
          name: string
          company_name: string
          job_title: string
          email: string
          phone: string
          rank: number
        }[]
      }
      search_conversations: {
        Args: {
          _limit?: number
          _query: string
        }
        Returns: {
          conversation_id: string
          title: string
          message_id: string
          snippet: string
          marks: number[]
          at: string
          rank: number
        }[]
      }
      search_documents: {
        Args: {
          _filter?: Json
          _limit?: number
          _query: string
        }
        Returns: {
          document_id: string
          filename: string
          kind: Database['public']['Enums']['document_kind']
          page: number
          snippet: string
          marks: number[]
          rank: number
        }[]
      }
      search_mails: {
        Args: {
          _limit?: number
          _query: string
        }
        Returns: {
          mail_id: string
          thread_id: string
          contact_id: string
          is_sent: boolean
          has_warnings: boolean
          party: string
          subject: string
          snippet: string
          marks: number[]
          at: string
        }[]
      }
      search_tasks: {
        Args: {
          _is_done?: boolean
          _limit?: number
          _text: string
        }
        Returns: {
          id: string
          title: string
        }[]
      }
      search_whatsapp: {
        Args: {
          _limit?: number
          _query: string
        }
        Returns: {
          message_id: string
          channel_id: string
          contact_id: string
          is_sent: boolean
          party: string
          snippet: string
          marks: number[]
          at: string
        }[]
      }
      send_idea: {
        Args: {
          _text?: string
          _title: string
        }
        Returns: number
      }
      service_status: {
        Args: never
        Returns: Json
      }
      set_document_kind: {
        Args: {
          _document_id: string
          _kind: Database['public']['Enums']['document_kind']
        }
        Returns: undefined
      }
      set_whatsapp_rate: {
        Args: {
          _amount_micros: number
          _category: string
          _currency: string
          _market: string
          _valid_from: string
        }
        Returns: undefined
      }
      settle_tool_call: {
        Args: {
          _args?: Json
          _error_code?: string
          _id: string
          _result?: Json
          _state: string
          _undo?: Json
          _undo_until?: string
        }
        Returns: Database['public']['Tables']['tool_calls']['Row']
      }
      shift_moment: {
        Args: {
          _by: string
          _moment: string
        }
        Returns: string
      }
      shift_with_task: {
        Args: {
          _by: string
          _moment: string
          _task: Database['public']['Tables']['tasks']['Row']
        }
        Returns: string
      }
      similar_contacts: {
        Args: {
          _draft: Json
        }
        Returns: {
          id: string
          name: string
          type: Database['public']['Enums']['contact_type']
          hard: boolean
          score: number
          reasons: string[]
        }[]
      }
      skip_occurrence: {
        Args: {
          _task_id: string
        }
        Returns: Json
      }
      stage_habits: {
        Args: never
        Returns: {
          stage_id: string
          usual_days: number
          sample: number
        }[]
      }
      start_goal: {
        Args: {
          _agent: string
          _title: string
        }
        Returns: Database['public']['Tables']['goals']['Row']
      }
      stop_agents: {
        Args: {
          _is_stopped: boolean
        }
        Returns: undefined
      }
      stop_run: {
        Args: {
          _run_id: string
        }
        Returns: undefined
      }
      stop_series: {
        Args: {
          _task_id: string
        }
        Returns: number
      }
      sure_confidence: {
        Args: never
        Returns: number
      }
      switch_insights: {
        Args: {
          _is_enabled: boolean
          _kind: string
        }
        Returns: undefined
      }
      take_back_deal: {
        Args: {
          _deal_id: string
          _from: string
          _lost_reason: string
          _since: string
          _to: string
        }
        Returns: boolean
      }
      take_tool_call: {
        Args: {
          _args?: Json
          _decision: string
          _id: string
        }
        Returns: Database['public']['Tables']['tool_calls']['Row']
      }
      takes_archive: {
        Args: never
        Returns: boolean
      }
      task_sequel: {
        Args: {
          _skips?: boolean
          _task: Database['public']['Tables']['tasks']['Row']
        }
        Returns: {
          due_at: string
          shift: string
          rrule: string
        }[]
      }
      task_wall_clock: {
        Args: {
          _task: Database['public']['Tables']['tasks']['Row']
        }
        Returns: string
      }
      twin: {
        Args: {
          _invoice: Database['public']['Tables']['invoices']['Row']
        }
        Returns: Json
      }
      undo_import: {
        Args: {
          _batch: string
        }
        Returns: Json
      }
      undo_merge: {
        Args: {
          _merge_id: string
        }
        Returns: undefined
      }
      unlink_parties: {
        Args: {
          _done: Json
        }
        Returns: undefined
      }
      unregistered_documents: {
        Args: {
          _contact_ids?: string[]
        }
        Returns: {
          document_id: string
          filename: string
          direction: Database['public']['Enums']['invoice_direction']
          contact_id: string
          counterparty: string
          counterparty_vat: string
          issued_on: string
          due_on: string
          total_cents: number
          currency: string
          gaps: string[]
        }[]
      }
      verify_ethical_log: {
        Args: never
        Returns: Json
      }
      vote_roadmap_item: {
        Args: {
          _id: number
          _is_for: boolean
        }
        Returns: number
      }
      whatsapp_usage: {
        Args: {
          _month?: string
        }
        Returns: {
          category: string
          kind: string
          messages: number
          unpriced: number
          currency: string
          amount_micros: number
        }[]
      }
    }
    Enums: {
      app_role: 'admin'
      claim_status: 'verificato' | 'stima' | 'storico' | 'in_conflitto'
      consent_channel: 'email' | 'telefono' | 'whatsapp' | 'posta'
      consent_purpose: 'servizio' | 'marketing' | 'profilazione'
      consent_state: 'dato' | 'negato' | 'revocato' | 'non_richiesto'
      contact_channel_kind: 'whatsapp'
      contact_origin: 'manuale' | 'import' | 'whatsapp' | 'email' | 'documento' | 'modulo' | 'demo'
      contact_request_kind: 'accesso' | 'copia' | 'rettifica' | 'cancellazione' | 'opposizione'
      contact_request_outcome: 'soddisfatta' | 'in_parte' | 'rifiutata' | 'ritirata'
      contact_type: 'persona' | 'azienda'
      contribution_kind: 'gestione_separata' | 'importo_fisso'
      credit_account: 'stripe' | 'promo' | 'usage' | 'expiry' | 'refund' | 'adjustment'
      credit_entry_kind: 'grant' | 'settle' | 'expire' | 'refund' | 'extend' | 'adjust'
      credit_hold_state: 'open' | 'settled' | 'released' | 'swept'
      credit_lot_kind: 'acquisto' | 'bonus' | 'benvenuto' | 'piano' | 'rettifica'
      data_import_state: 'in_attesa' | 'in_corso' | 'fatto' | 'fallito'
      deletion_state: 'requested' | 'cancelled' | 'erasing' | 'erased'
      document_alias_kind: 'vat_number' | 'tax_code' | 'email' | 'name'
      document_alias_state: 'confermato' | 'rifiutato'
      document_field_source: 'testo' | 'ocr' | 'fatturapa' | 'persona'
      document_kind: 'fattura' | 'preventivo' | 'contratto' | 'ricevuta' | 'f24' | 'durc' | 'visura' | 'documento_identita' | 'altro'
      document_page_source: 'testo' | 'ocr'
      document_page_state: 'attesa' | 'letta' | 'errore'
      document_state: 'in_coda' | 'lettura' | 'ocr' | 'analisi' | 'pronto' | 'da_verificare' | 'errore' | 'annullato'
      error_severity: 'critical'
      export_state: 'in_attesa' | 'in_corso' | 'pronto' | 'fallito' | 'annullato' | 'scaduto'
      fiscal_archive_answer: 'downloaded' | 'elsewhere' | 'empty'
      fiscal_document_kind: 'invoice' | 'credit_note'
      fiscal_document_state: 'queued' | 'sent' | 'accepted' | 'refused'
      goal_autonomy: 'proponi' | 'assistita' | 'supervisionata'
      goal_letter: 'attesa' | 'scritta' | 'modello'
      goal_state: 'bozza' | 'pianificato' | 'in_approvazione' | 'attivo' | 'in_attesa' | 'in_pausa' | 'completato' | 'fallito' | 'annullato'
      goal_step_state: 'pianificato' | 'in_approvazione' | 'approvato' | 'fatto' | 'saltato' | 'bloccato' | 'fallito' | 'rifiutato' | 'scaduto' | 'annullato'
      goal_wait: 'utente' | 'budget' | 'orario'
      import_kind: 'csv' | 'vcard' | 'xlsx'
      import_state: 'in_corso' | 'fatto' | 'annullato'
      insight_state: 'nuova' | 'rimandata' | 'fatta' | 'scartata' | 'risolta'
      interaction_direction: 'uscita' | 'entrata'
      interaction_kind: 'chiamata' | 'email' | 'whatsapp' | 'incontro' | 'altro'
      invoice_direction: 'attiva' | 'passiva'
      invoice_kind: 'fattura' | 'nota_di_credito' | 'autofattura'
      invoice_source: 'fatturapa' | 'campi'
      mail_basis: 'contratto' | 'consenso' | 'soft_spam'
      mail_error: 'unreachable' | 'tls' | 'auth' | 'busy' | 'refused' | 'bad_address' | 'attachment' | 'expired' | 'suppressed' | 'consent' | 'interrupted' | 'disconnected' | 'bounced' | 'automatic'
      mail_folder: 'ricevuti' | 'inviati'
      mail_kind: 'persona' | 'automatica' | 'lista' | 'rimbalzo'
      mail_provider: 'microsoft' | 'google'
      mail_refusal: 'too_large' | 'too_many' | 'frozen'
      mail_report_kind: 'rimbalzo' | 'ritardo' | 'consegna' | 'reclamo' | 'accettazione' | 'non-accettazione' | 'presa-in-carico' | 'avvenuta-consegna' | 'errore-consegna' | 'preavviso-errore-consegna' | 'rilevazione-virus'
      mail_security: 'tls' | 'starttls'
      mail_state: 'queued' | 'sending' | 'sent' | 'failed' | 'uncertain' | 'cancelled'
      mail_suppression_reason: 'manuale' | 'disiscritto' | 'rimbalzo' | 'reclamo'
      mail_verdict: 'pass' | 'fail'
      memory_kind: 'profilo' | 'preferenza' | 'contatto' | 'decisione' | 'obiettivo' | 'narrativa'
      memory_origin: 'utente' | 'ia' | 'import'
      memory_source: 'manuale' | 'chat' | 'nota' | 'documento' | 'sistema'
      memory_state: 'proposta' | 'attiva' | 'sospesa' | 'superata'
      message_status: 'queued' | 'streaming' | 'done' | 'stopped' | 'error'
      notification_category: 'incassi' | 'attivita' | 'approvazioni' | 'documenti' | 'crediti' | 'briefing' | 'sistema' | 'amministrazione'
      notification_channel: 'in_app' | 'mail' | 'push'
      notification_digest: 'subito' | 'oraria' | 'giornaliera'
      notification_type: 'success' | 'warning' | 'error' | 'info'
      order_refund_state: 'requested' | 'sent' | 'failed'
      order_state: 'pending' | 'fulfilled' | 'failed' | 'expired' | 'review' | 'refunded' | 'disputed'
      payment_alert_kind: 'mismatch' | 'unknown_order' | 'refund_of_spent_credits' | 'refund_failed' | 'dispute' | 'stuck_event' | 'deleted_account'
      plan_period: 'forever' | 'month' | 'year'
      privacy_purpose: 'statistics' | 'ai'
      project_status: 'attivo' | 'in_pausa' | 'chiuso'
      sdi_notice_kind: 'RC' | 'MC' | 'NS' | 'NE' | 'DT' | 'AT'
      stage_kind: 'aperta' | 'vinta' | 'persa'
      task_event_kind: 'creata' | 'stato' | 'completata' | 'riaperta' | 'scadenza' | 'eliminata' | 'ripristinata'
      task_repeat_from: 'scadenza' | 'completamento'
      task_state: 'da_fare' | 'in_corso' | 'in_attesa' | 'fatto'
      tax_regime: 'forfettario' | 'ordinario' | 'semplificato' | 'altro'
      tool_call_risk: 'basso' | 'medio' | 'alto'
      tool_call_state: 'proposed' | 'approved' | 'edited' | 'rejected' | 'executed' | 'failed' | 'expired' | 'undone'
      transcript_error: 'fornitore' | 'occupato' | 'rifiutato' | 'vuoto' | 'crediti' | 'consenso' | 'file' | 'interrotto' | 'fermo'
      transcript_state: 'attesa' | 'pronto' | 'fallito'
      whatsapp_account_state: 'attivo' | 'da_ricollegare' | 'sospeso' | 'spento'
      whatsapp_answer_when: 'mai' | 'fuori_orario' | 'sempre' | 'ferie'
      whatsapp_error: 'meta' | 'expired' | 'window' | 'stopped' | 'consent' | 'interrupted' | 'disconnected' | 'unreachable' | 'attachment'
      whatsapp_history_state: 'da_chiedere' | 'attesa' | 'in_corso' | 'finita' | 'rifiutata' | 'fallita'
      whatsapp_media_state: 'attesa' | 'pronto' | 'illeggibile' | 'scaduto' | 'grande' | 'senza_spazio' | 'scollegato' | 'diverso' | 'fallito'
      whatsapp_source: 'api' | 'telefono' | 'cronologia'
      whatsapp_state: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'uncertain' | 'cancelled'
    }
    CompositeTypes: { [_ in never]: never }
  }
}
